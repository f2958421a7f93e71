import { later, now } from '../clock';

/**
 * Does one thing again and again, never twice at once, whenever it is due. Asks when that is each
 * time it has been done and each time it is poked; keeps no timer while nothing is due.
 */
export class Loop {
  readonly #due: () => number | undefined;
  readonly #turn: () => Promise<void>;
  #timer: { cancel(): void } | undefined;
  #busy = false;
  #closed = false;

  /**
   * @param due the moment (monotonic milliseconds) of the next turn; `undefined`: no need for one
   * @param turn must not reject
   */
  constructor(due: () => number | undefined, turn: () => Promise<void>) {
    this.#due = due;
    this.#turn = turn;
  }

  /** Something has changed that may make a turn due. */
  poke(): void {
    if (this.#busy || this.#closed) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    const due = this.#due();
    if (due === undefined) return;
    const waitMs = due - now();
    if (waitMs > 0) {
      // Timers count whole milliseconds, and are rather late than early. When one is early after all,
      // the rest is waited for.
      this.#timer = later(Math.floor(waitMs), () => this.poke());
      return;
    }
    this.#busy = true;
    void this.#turn().finally(() => {
      this.#busy = false;
      this.poke();
    });
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

const FIRST_MS = 50;
const LONGEST_MS = 1000;

/** When to try again after failures in a row. */
export class Backoff {
  #failures = 0;
  #retryAt = 0;

  /** The moment before which not to try. */
  get retryAt(): number {
    return this.#retryAt;
  }

  get failing(): boolean {
    return this.#failures > 0;
  }

  /** Not just a hiccup. */
  get persisting(): boolean {
    return this.#failures >= 3;
  }

  failed(): void {
    this.#retryAt = now() + Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS);
    this.#failures++;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#retryAt = 0;
  }
}
