import type { Outcome } from './play';

const NODES = ['primary', 'replica1', 'replica2'];
const HEAD = ['operation', 'replication', ...NODES, 'stale answers'];

/** The outcome of a step: a line a side, with its reads by node. */
export function tableOf(operation: string, { results }: Outcome): string[] {
  const rows = results.map(({ side, reads, answers, stale }) => [
    operation,
    side,
    ...NODES.map((node) => String(reads.get(node) ?? 0)),
    `${stale} of ${answers}`,
  ]);
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (row: readonly string[]) =>
    `   ${row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < 2 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')}`;
  const errors = results.flatMap(({ side, error }) =>
    error === undefined ? [] : [`   ${side}: ${error}`],
  );
  return [lineOf(HEAD), ...rows.map(lineOf), ...errors];
}
