import type { Timers } from './types';

/**
 * Notices that a read has been waiting for a node that says nothing to anybody. A slow statement and
 * a frozen node look the same from one connection, so this only raises the question.
 */
export class SilenceWatch<C extends object> {
  #limitMs: number;
  readonly #timers: Timers;
  readonly #onSilence: () => void;
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
    this.#heldSince.delete(connection);
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
      // The map keeps the order of its entries: the first is the oldest.
      const [oldest] = this.#heldSince.values();
      if (oldest === undefined) return;
      this.#arm();
      const due = this.#timers.now() - this.#limitMs;
      if (oldest <= due && this.#heardAt <= due) this.#onSilence();
    });
  }
}
