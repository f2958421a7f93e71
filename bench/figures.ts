import type { Figure } from './measure';

/**
 * Figures of several runs, each with its samples: of every run the quantile `share`, then the median
 * and the middle half over the runs, and each run against the same run of the first line.
 */
export function figuresOf(runs: Readonly<Record<string, number[][]>>, share: number): Figure[] {
  const values = Object.entries(runs).map(
    ([name, ofRuns]) => [name, ofRuns.map((samples) => quantile(samples, share))] as const,
  );
  const base = values[0]?.[1] ?? [];
  return values.map(([name, own]) => ({
    name,
    median: quantile(own, 0.5),
    low: quantile(own, 0.25),
    high: quantile(own, 0.75),
    more: quantile(
      own.map((value, run) => value - (base[run] ?? NaN)),
      0.5,
    ),
    ratio: quantile(
      own.map((value, run) => value / (base[run] ?? NaN)),
      0.5,
    ),
  }));
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
