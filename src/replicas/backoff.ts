const FIRST_MS = 100;
const LONGEST_MS = 10_000;

/**
 * Pause before trial number `attempt` (from 1) of a node that is down: doubles from 100 ms to 10 s,
 * and is cut by up to half at random, so that many processes don't knock at the same moment.
 */
export function backoffMs(attempt: number, random: () => number): number {
  const full = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
  return full * (1 - random() / 2);
}
