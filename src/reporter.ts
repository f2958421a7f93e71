import type { Disposable } from './handle';
import type { Logger } from './options';
import type { Decision } from './routing';

/** What a handle has to say: warnings, each once, and decisions for those who listen. */
export class Reporter {
  readonly #logger: Logger | undefined;
  readonly #warnings: string[] = [];
  readonly #said = new Set<string>();
  readonly #listeners = new Set<(decision: Decision) => void>();

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** Oldest first. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** Somebody listens to decisions, so it is worth making them. */
  get listening(): boolean {
    return this.#listeners.size > 0;
  }

  listen(fn: (decision: Decision) => void): Disposable {
    // A wrapper, so that the same function may listen twice and be disposed of one by one.
    const listener = (decision: Decision) => fn(decision);
    this.#listeners.add(listener);
    const dispose = () => void this.#listeners.delete(listener);
    return { dispose, [Symbol.dispose]: dispose };
  }

  tell(decision: Decision): void {
    for (const listener of this.#listeners) {
      try {
        listener(decision);
      } catch (error) {
        this.warn(
          `an onDecision listener threw: ${String(error)}. Later errors are not reported.`,
          'onDecision',
        );
      }
    }
  }

  /** Keeps and logs a warning, the first time for each `once`. */
  warn(message: string, once = message): void {
    if (this.#said.has(once)) return;
    this.#said.add(once);
    this.#warnings.push(message);
    this.log(message);
  }

  log(message: string): void {
    try {
      this.#logger?.warn(`sequelize-fresh-reads: ${message}`);
    } catch {
      // A logger must not break what it is told about; warnings are in status() all the same.
    }
  }

  close(): void {
    this.#listeners.clear();
  }
}
