import type { Random } from '../random';
import type { Family } from './schema';

/** One row with its counter, as its only writer knows it. */
export interface Row {
  readonly family: Family;
  readonly id: number;
  /** The version handed out last. */
  handedOut: number;
  /** The version committed last. */
  committed: number;
  /** Whether the row is there. */
  present: boolean;
}

/** A row that nobody has written yet. */
export function newRow(family: Family, id: number): Row {
  return { family, id, handedOut: 0, committed: 0, present: true };
}

const TRIES = 20;
const RECENT = 12;
const LATELY = 0.7;

/** The rows of one process: each is written by one operation at a time, so that versions are in the order of commits. */
export class Rows {
  readonly #free = new Map<Family, Row[]>();
  readonly #ids: readonly number[];
  readonly #recent: number[] = [];

  constructor(families: readonly Family[], ids: readonly number[]) {
    this.#ids = ids;
    for (const family of families) {
      const rows = ids.map((id) => newRow(family, id));
      this.#free.set(family, rows);
    }
  }

  /** A row that nobody writes now, until it is given back; `undefined` when all are in use. */
  take(family: Family, random: Random, fits: (row: Row) => boolean = () => true): Row | undefined {
    const free = this.#free.get(family) ?? [];
    for (let tries = 0; tries < TRIES && free.length > 0; tries++) {
      const index = random.between(0, free.length - 1);
      const row = free[index];
      if (row && fits(row)) {
        // The order means nothing: the last one fills the gap.
        const last = free.pop();
        if (last && last !== row) free[index] = last;
        return row;
      }
    }
    return undefined;
  }

  /** Not for a row whose last write has an unknown outcome: it may be written yet. */
  giveBack(row: Row): void {
    this.#recent.push(row.id);
    if (this.#recent.length > RECENT) this.#recent.shift();
    this.#free.get(row.family)?.push(row);
  }

  /** The id of any row, in use or not; more often than not of one that was written lately. */
  anyId(random: Random): number {
    const lately = this.#recent.length > 0 && random.chance(LATELY);
    return random.pick(lately ? this.#recent : this.#ids);
  }
}
