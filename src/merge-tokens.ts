import {
  furthest,
  type CarriedWrite,
  type Proof,
  type ReadToken,
  type TokenWrite,
} from './operation';

/** How far the session has seen that a token was given to; `unplaced`: not where in the log. */
export function seenIn({ seen, place }: ReadToken): Proof | 'unplaced' | undefined {
  return typeof seen === 'bigint' ? (place ? { ...place, position: seen } : 'unplaced') : seen;
}

/** What covers both: without a place in the log, or in two logs, only a sample of our own does. */
export function later(
  a: Proof | 'unplaced' | undefined,
  b: Proof | 'unplaced' | undefined,
): Proof | 'unplaced' | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (a === 'unplaced' || b === 'unplaced') return 'unplaced';
  return furthest(a, b) ?? 'unplaced';
}

/** What covers both of two writes that tokens tell of. */
export function mergeCarried(a: CarriedWrite | undefined, b: CarriedWrite): CarriedWrite {
  if (!a) return b;
  return {
    table: b.table,
    open: a.open || b.open,
    at: Math.max(a.at, b.at),
    proof: furthest(a.proof, b.proof),
  };
}

/** What covers both of two writes that a token is to tell of. */
export function mergeWrites(a: TokenWrite, b: TokenWrite): TokenWrite {
  const { position: one } = a;
  const { position: two } = b;
  return {
    table: b.table,
    open: a.open || b.open,
    committedAtMs: Math.max(a.committedAtMs, b.committedAtMs),
    position: one === undefined || two === undefined ? undefined : one > two ? one : two,
  };
}
