import type { Timers } from './types';

const NOT_HELD = Infinity;

/**
 * Notices that a read has been waiting for a node that says nothing to anybody. A slow statement and
 * a frozen node look the same from one connection, so this only raises the question.
 */
export class SilenceWatch<C extends object> {
  #limitMs: number;
  readonly #timers: Timers;
  readonly #onSilence: () => void;
  /** `NOT_HELD` until the next look at it: a map that grows and shrinks with each read is dear. */
  readonly #heldSince = new Map<C, number>();
  #heardAt = -Infinity;
  #timer: { cancel(): void } | undefined;

  constructor(limitMs: number, timers: Timers, onSilence: () => void) {
    this.#limitMs = limitMs;
    this.#timers = timers;
    this.#onSilence = onSilence;
  }

  hold(connection: C): void {
    this.#heldSince.set(connection, this.#timers.now());
    this.#arm();
  }

  letGo(connection: C): void {
    if (this.#heldSince.has(connection)) this.#heldSince.set(connection, NOT_HELD);
  }

  /** The node has answered something. Gives the moment. */
  heard(): number {
    return (this.#heardAt = this.#timers.now());
  }

  /** From now on silence is noticed within `limitMs`, if it was not before. */
  hurry(limitMs: number): void {
    if (limitMs >= this.#limitMs) return;
    this.#limitMs = limitMs;
    if (!this.#timer) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#arm();
  }

  /** Nobody waits any more. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#heldSince.clear();
  }

  #arm(): void {
    this.#timer ??= this.#timers.later(this.#limitMs, () => {
      this.#timer = undefined;
      const oldest = this.#oldest();
      if (oldest === NOT_HELD) return;
      this.#arm();
      const due = this.#timers.now() - this.#limitMs;
      if (oldest <= due && this.#heardAt <= due) this.#onSilence();
    });
  }

  /** Since when the connection is held that has been held longest. Forgets those that are not. */
  #oldest(): number {
    let oldest = NOT_HELD;
    for (const [connection, since] of this.#heldSince) {
      if (since === NOT_HELD) this.#heldSince.delete(connection);
      else oldest = Math.min(oldest, since);
    }
    return oldest;
  }
}
