import type { Floor } from './floors';
import type { ReadSent, Register, Seen } from './history';

/**
 * `stale`: less than what had been acknowledged. `backwards`: less than the session had seen.
 * `rolled-back`: what was never committed. `unwritten`: what nobody wrote. `lost`: a commit that the
 * primary does not have in the end. `error`: a failure that no fault of the primary explains.
 */
export type ViolationKind = 'stale' | 'backwards' | 'rolled-back' | 'unwritten' | 'lost' | 'error';

/** A promise that was broken, with the ids of the events that prove it. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly text: string;
  /** The read, or the failed write; none for `lost`. */
  readonly id: string | undefined;
  readonly register: Register | undefined;
  readonly write: string | undefined;
  /** The read that had shown it before, for `backwards`. */
  readonly shownBy: string | undefined;
}

/** What one read has shown of one register, and what it had to show. */
export interface Look {
  readonly read: ReadSent;
  readonly register: Register;
  readonly seen: Seen;
  readonly floor: Floor | undefined;
}

/** A read that broke a promise. */
export function broken(
  kind: ViolationKind,
  { read, register, floor }: Pick<Look, 'read' | 'floor'> & { register: Register | undefined },
  text: string,
): Violation {
  const { id, what } = read;
  const write = floor?.write?.id;
  return { kind, text: `${what}: ${text}`, id, register, write, shownBy: floor?.shownBy };
}

/** A read that showed less than it had to. `by`: the nodes that answered. */
export function tooOld(look: Look, by: readonly string[]): Violation {
  const { register, seen, floor } = look;
  const got = seen === null ? 'no row' : `version ${String(seen)}`;
  const where = by.length > 0 ? by.join(', ') : 'a cache';
  const version = floor?.version ?? 0;
  const removed = floor?.write?.removes?.includes(register) === true;
  const due = removed ? `the removal of ${register} as version ${version}` : `version ${version}`;
  const kind = floor?.shownBy === undefined ? 'stale' : 'backwards';
  const had = kind === 'stale' ? 'was acknowledged' : 'had been seen';
  return broken(kind, look, `${got} of ${register} from ${where}; ${due} ${had} before`);
}
