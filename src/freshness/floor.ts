import type { Sample } from './samples';

/**
 * How far every replica in use has come. What lies below was let expire and is forgotten, so a
 * replica that shows less must not serve anything.
 */
export class Floor {
  #seq = 0;
  #position: bigint | undefined;
  #moved = false;
  #kept = false;

  /** Every commit up to this logical time has expired. Never falls. */
  get seq(): number {
    return this.#seq;
  }

  /** A place in the log that covers every commit that has expired; `undefined` where none is known. */
  get position(): bigint | undefined {
    return this.#moved ? undefined : this.#position;
  }

  /** Nothing was let expire and the primary has not changed: no replica can miss anything. */
  get untouched(): boolean {
    return this.#position === undefined && !this.#moved;
  }

  /** The primary has changed, and nobody knows yet what a replica has to show. */
  get unknown(): boolean {
    return this.#moved;
  }

  /** Whether it lies in WAL that a crash of the primary can't take back: a standby has had it. */
  get kept(): boolean {
    return this.#position === undefined || this.#kept;
  }

  /** A standby has reached it. */
  keep(): void {
    this.#kept = true;
  }

  /** Whether a replica at `position` shows enough. */
  isReachedBy(position: bigint | undefined): boolean {
    if (this.#moved) return false;
    return this.#position === undefined || (position !== undefined && position >= this.#position);
  }

  /** Whether only nodes that are past `position` serve. */
  isPast(position: bigint): boolean {
    return !this.#moved && this.#position !== undefined && this.#position >= position;
  }

  /** No position means anything any more. */
  lose(): void {
    this.#moved = true;
  }

  /**
   * @param covers whether the sample covers commits, or is a place in the log and no more
   * @param kept whether a standby has passed it
   */
  set({ seq, position }: Sample, { covers, kept }: { covers: boolean; kept: boolean }): void {
    if (covers) this.#seq = Math.max(this.#seq, seq);
    this.#position = position;
    this.#moved = false;
    this.#kept = kept;
  }
}
