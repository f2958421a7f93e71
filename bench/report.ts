import { writeFile } from 'node:fs/promises';
import type { Figure } from './measure';

const tables: { title: string; unit: string; figures: readonly Figure[] }[] = [];

const results: object[] = [];

/** Keeps a result that is no table of figures for `--json`. */
export function keep(result: object): void {
  results.push(result);
}

/** Prints a table, and keeps it for `--json`. */
export function report(title: string, unit: string, figures: readonly Figure[]): void {
  tables.push({ title, unit, figures });
  console.log(`\n${title} (${unit}; median, middle half, and against the first line)`);
  const width = Math.max(...figures.map(({ name }) => name.length));
  for (const { name, median, low, high, more, ratio } of figures) {
    const spread = `${show(low)} .. ${show(high)}`;
    const sign = more < 0 ? '' : '+';
    console.log(
      `  ${name.padEnd(width)}  ${show(median).padStart(9)}  ${spread.padEnd(22)} ` +
        `${`${sign}${show(more)}`.padStart(9)}  x${ratio.toFixed(4)}`,
    );
  }
}

/** Writes all that was printed so far. */
export async function saveReport(file: string): Promise<void> {
  const machine = { node: process.version, platform: process.platform, arch: process.arch };
  await writeFile(file, `${JSON.stringify({ ...machine, tables, results }, undefined, 2)}\n`);
}

function show(value: number): string {
  return Math.abs(value) < 100 ? value.toFixed(2) : value.toFixed(0);
}
