import { THEMES, type Theme } from './cluster/nemesis';
import { Random } from './random';
import { runRound, type RoundResult } from './round';

export interface RunOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly replicas: number;
  readonly folder: string;
  readonly fresh: boolean;
  readonly stopAtFirst: boolean;
  readonly say: (line: string) => void;
}

/** The sums over all rounds. */
export interface Totals {
  reads: number;
  stale: number;
  errors: number;
  /** Commits that were lost, or reads of what never was. */
  wrong: number;
  asked: number;
  onReplicas: number;
  /** When the first violation was found, in milliseconds of `performance.now()`. */
  foundAt: number;
}

const LONGEST_ROUND_MS = 20_000;
/** What is left at the end is added to the last round when it is no more than this. */
const SHORTEST_ROUND_MS = 4000;

/** Rounds on a cluster each, until the time is over. */
export async function run(options: RunOptions): Promise<Totals> {
  const { seed, minutes, say } = options;
  const totals: Totals = {
    reads: 0,
    stale: 0,
    errors: 0,
    wrong: 0,
    asked: 0,
    onReplicas: 0,
    foundAt: Infinity,
  };
  let leftMs = minutes * 60_000;
  // A short run has every theme as well.
  const eachMs = Math.min(LONGEST_ROUND_MS, Math.max(SHORTEST_ROUND_MS, leftMs / THEMES.length));
  for (let index = 0; leftMs > 0; index++) {
    const theme = THEMES[index % THEMES.length] ?? 'lag';
    const ms = leftMs < eachMs + SHORTEST_ROUND_MS ? leftMs : eachMs;
    leftMs -= ms;
    const roundSeed = Random.of(seed, 'round', index).between(0, 2 ** 31);
    const result = await runRound({ ...options, seed: roundSeed, theme, ms });
    add(totals, result);
    say(lineOf(index, theme, result));
    for (const story of result.stories) say(`\n${story}\n`);
    if (options.stopAtFirst && result.violations.length > 0) break;
  }
  return totals;
}

function add(totals: Totals, { reads, asked, onReplicas, violations, foundAt }: RoundResult): void {
  totals.reads += reads;
  totals.asked += asked;
  totals.onReplicas += onReplicas;
  totals.foundAt = Math.min(totals.foundAt, foundAt);
  for (const { kind } of violations) {
    if (kind === 'error') totals.errors++;
    else if (kind === 'stale' || kind === 'backwards') totals.stale++;
    else totals.wrong++;
  }
}

function lineOf(index: number, theme: Theme, { reads, faults, violations }: RoundResult): string {
  const bad = violations.length === 0 ? 'all held' : `${violations.length} violations`;
  return `round ${index + 1}  ${theme.padEnd(8)}${reads} reads, ${faults} faults: ${bad}`;
}

/** The last line of a run. */
export function summaryOf({ reads, stale, errors, asked, onReplicas }: Totals): string {
  const share = asked === 0 ? 0 : Math.round((100 * onReplicas) / asked);
  return `checked ${reads} reads, ${stale} stale, ${errors} errors, ${share}% of reads on replicas`;
}
