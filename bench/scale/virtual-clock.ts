import type * as source from '../../src/clock';

type Clock = { -readonly [Name in keyof typeof source]: (typeof source)[Name] };

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fn: () => void;
  cancelled: boolean;
}

/** Time that passes as fast as the work in it is done. */
export class VirtualClock {
  #now = 0;
  #order = 0;
  readonly #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  later(ms: number, fn: () => void): { cancel(): void } {
    const timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, fn, cancelled: false };
    this.#push(timer);
    return { cancel: () => void (timer.cancelled = true) };
  }

  /** Puts it in the place of the package's clock; the function it gives takes it out again. */
  install(clock: Clock): () => void {
    const { now, later, alarm } = clock;
    clock.now = () => this.now();
    // Timers of Node count whole milliseconds, from 1 up.
    clock.later = clock.alarm = (ms, fn) => this.later(Math.max(1, Math.floor(ms)), fn);
    return () => Object.assign(clock, { now, later, alarm });
  }

  /** Lets time pass up to `until`. */
  async run(until: number): Promise<void> {
    for (;;) {
      const timer = this.#timers[0];
      if (!timer || timer.at > until) break;
      this.#pop();
      if (timer.cancelled) continue;
      this.#now = timer.at;
      timer.fn();
      // What it has set off goes as far as it can before the clock moves on.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = until;
  }

  #push(timer: Timer): void {
    let index = this.#timers.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #pop(): void {
    this.#swap(0, this.#timers.length - 1);
    this.#timers.pop();
    let index = 0;
    for (;;) {
      let first = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < this.#timers.length && this.#isBefore(child, first)) first = child;
      }
      if (first === index) return;
      this.#swap(index, first);
      index = first;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#timers[one], this.#timers[other]];
    if (!a || !b) return false;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#timers[one], this.#timers[other]];
    if (!a || !b) return;
    this.#timers[one] = b;
    this.#timers[other] = a;
  }
}
