import { afterInput, alarm } from '../clock';

interface Waiter {
  readonly holds: () => boolean;
  readonly end: (held: boolean) => void;
}

/** Those who wait until something holds, looked at again whenever something was learned. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();
  #closed = false;

  /**
   * Resolves with true once `holds`, with false after `timeoutMs`. Keeps the process alive: a read
   * hangs on it.
   */
  wait(holds: () => boolean, timeoutMs: number): Promise<boolean> {
    if (this.#closed || holds()) return Promise.resolve(holds());
    return new Promise((resolve) => {
      const end = (held: boolean) => {
        timer.cancel();
        this.#waiting.delete(waiter);
        resolve(held);
      };
      const waiter: Waiter = { holds, end };
      // A busy process is late with both: the answer may be there already, only not heard yet.
      const timer = alarm(timeoutMs, () => afterInput(() => end(holds())));
      this.#waiting.add(waiter);
    });
  }

  wake(): void {
    for (const waiter of this.#waiting) if (waiter.holds()) waiter.end(true);
  }

  /** Lets everybody go, with false. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiting) waiter.end(false);
  }
}
