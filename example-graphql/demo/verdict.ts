import type { Outcome, Result } from './play';

/** What the whole story has shown, and the exit status that says so. */
export interface Verdict {
  readonly line: string;
  /** 0: only Sequelize alone was ever stale. 1: fresh reads was. 2: nobody was, so nothing is shown. */
  readonly status: 0 | 1 | 2;
}

/** Sums up a story: each outcome has the result of Sequelize alone first, that of fresh reads second. */
export function verdictOf(outcomes: readonly Outcome[]): Verdict {
  const without = totalOf(outcomes.map(({ results: [first] }) => first));
  const withIt = totalOf(outcomes.map(({ results: [, second] }) => second));
  const offload = Math.round((1 - withIt.fromPrimary / withIt.reads) * 100);
  const line =
    `Stale answers: ${without.stale} of ${without.answers} on Sequelize's own replication, ` +
    `${withIt.stale} of ${withIt.answers} with fresh reads, ` +
    `which took ${offload} % of its reads from the replicas.`;
  if (withIt.stale > 0) return { line, status: 1 };
  return { line, status: without.stale > 0 ? 0 : 2 };
}

function totalOf(results: readonly (Result | undefined)[]) {
  const total = { stale: 0, answers: 0, reads: 0, fromPrimary: 0 };
  for (const result of results) {
    if (!result) continue;
    total.stale += result.stale;
    total.answers += result.answers;
    total.fromPrimary += result.reads.get('primary') ?? 0;
    for (const count of result.reads.values()) total.reads += count;
  }
  return total;
}
