import type { Line } from './summary';

const WIDTH = 860;
const ROW = 30;
const TOP = 58;
const BAR_LEFT = 270;
const BAR_RIGHT = 640;
const STALE_LEFT = 720;
const FONT = 'font-family="system-ui, -apple-system, Segoe UI, sans-serif"';
const DARK = 'fill="#1f2328"';
const PALE = 'fill="#57606a"';

/** Bars of the reads on the primary and marks of the stale ones, a row a policy, as an SVG file. */
export function chartOf(lines: readonly Line[]): string {
  const most = Math.max(...lines.map(({ primaryShare }) => primaryShare.middle), 1);
  const height = TOP + lines.length * ROW + 14;
  const rows = lines.map((line, index) => rowOf(line, TOP + index * ROW, most));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Reads on the primary and stale reads, by policy" ${FONT} font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" rx="6" fill="#ffffff"/>`,
    text(
      20,
      24,
      'The same recorded workload under each policy',
      `${DARK} font-weight="600" font-size="15"`,
    ),
    text(BAR_LEFT, 46, 'reads on the primary', PALE),
    text(STALE_LEFT, 46, 'stale reads', PALE),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function rowOf({ policy, primaryShare, stale }: Line, top: number, most: number): string {
  const { middle } = primaryShare;
  const width = ((BAR_RIGHT - BAR_LEFT) * middle) / most;
  const colour = policy.startsWith('ours') ? '#1a7f37' : '#6e7781';
  const baseline = top + 19;
  const mark = `<circle cx="${STALE_LEFT + 6}" cy="${top + 15}" r="6" fill="${stale > 0 ? '#cf222e' : 'none'}" stroke="${stale > 0 ? '#cf222e' : '#afb8c1'}"/>`;
  return [
    text(20, baseline, policy),
    `<rect x="${BAR_LEFT}" y="${top + 6}" width="${Math.max(width, 1).toFixed(1)}" height="18" fill="${colour}"/>`,
    text(Math.round(BAR_LEFT + width) + 8, baseline, `${middle.toFixed(middle < 1 ? 2 : 1)} %`),
    mark,
    text(STALE_LEFT + 20, baseline, stale === 0 ? 'none' : String(stale)),
  ].join('\n');
}

function text(x: number, y: number, content: string, attributes = DARK): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" ${attributes}>${escaped}</text>`;
}
