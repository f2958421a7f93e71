import { quantile } from '../figures';
import type { Replayed } from './replay';

/** One line of the table. Times in milliseconds. */
export interface Line {
  readonly policy: string;
  /** Share of all reads, in percent: the middle of all rounds, and the lowest and highest. */
  readonly primaryShare: Spread;
  /** Per round. */
  readonly readsOnPrimary: number;
  readonly readsCounted: number;
  readonly readsAnswered: number;
  /** Over all rounds. */
  readonly stale: number;
  readonly overlapping: number;
  readonly query: Latency;
  readonly mutation: Latency;
  /** Per round. */
  readonly waits: number;
  readonly meanWait: number;
  /** Seconds of the application's processor time per round. */
  readonly processorTime: number;
  /** By how much operations began later than recorded (99 % of them, at most): a busy machine. */
  readonly lateP99: number;
}

export interface Spread {
  readonly middle: number;
  readonly low: number;
  readonly high: number;
}

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** One line from the rounds of one policy. */
export function summarise(rounds: readonly Replayed[]): Line {
  const shares = rounds.map((round) => (100 * round.counted.primary) / totalOf(round));
  const mean = (value: (round: Replayed) => number) => sum(rounds.map(value)) / rounds.length;
  const all = (values: (round: Replayed) => readonly number[]) => rounds.flatMap(values);
  const waits = all((round) => round.waits);
  return {
    policy: rounds[0]?.policy ?? '',
    primaryShare: {
      middle: quantile(shares, 0.5),
      low: Math.min(...shares),
      high: Math.max(...shares),
    },
    readsOnPrimary: mean((round) => round.counted.primary),
    readsCounted: mean(totalOf),
    readsAnswered: mean((round) => round.reads),
    stale: sum(rounds.map((round) => round.stale)),
    overlapping: sum(rounds.map((round) => round.overlapping)),
    query: latency(all((round) => round.queries)),
    mutation: latency(all((round) => round.mutations)),
    waits: waits.length / rounds.length,
    meanWait: waits.length === 0 ? 0 : sum(waits) / waits.length,
    processorTime: mean((round) => round.processorTime),
    lateP99: quantile(
      all((round) => round.late),
      0.99,
    ),
  };
}

/** The lines as text, one below the other. */
export function tableOf(lines: readonly Line[]): string {
  const rows = [HEADINGS, ...lines.map(cells)];
  const widths = HEADINGS.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

const HEADINGS = [
  'policy',
  'on primary %',
  'low .. high',
  'reads there',
  'stale',
  'overlapping',
  'query p50',
  'p99',
  'mutation p50',
  'p99',
  'waits',
  'mean wait',
  'processor s',
  'late p99',
];

function cells(line: Line): string[] {
  const { primaryShare, query, mutation } = line;
  return [
    line.policy,
    primaryShare.middle.toFixed(2),
    `${primaryShare.low.toFixed(2)} .. ${primaryShare.high.toFixed(2)}`,
    line.readsOnPrimary.toFixed(0),
    line.stale.toFixed(0),
    line.overlapping.toFixed(0),
    query.p50.toFixed(1),
    query.p99.toFixed(1),
    mutation.p50.toFixed(1),
    mutation.p99.toFixed(1),
    line.waits.toFixed(0),
    line.meanWait.toFixed(1),
    line.processorTime.toFixed(1),
    line.lateP99.toFixed(1),
  ];
}

function totalOf({ counted }: Replayed): number {
  return counted.primary + sum(counted.replicas);
}

function latency(samples: readonly number[]): Latency {
  return { p50: quantile(samples, 0.5), p99: quantile(samples, 0.99) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
