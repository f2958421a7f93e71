import type { Disposable } from './handle';
import type { Logger } from './options';
import type { Decision } from './routing';

/** Some hold names or errors of the application's, of which there may be ever new ones. */
const MOST_WARNINGS = 1000;

/** What a handle has to say: warnings, each once, and decisions for those who listen. */
export class Reporter {
  readonly #logger: Logger | undefined;
  /** By what each is said once for. */
  readonly #warnings = new Map<string, string>();
  readonly #listeners = new Set<(decision: Decision) => void>();

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** The newest thousand, oldest first. */
  get warnings(): readonly string[] {
    return [...this.#warnings.values()];
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
    if (this.#warnings.has(once)) return;
    this.#warnings.set(once, message);
    const [oldest] = this.#warnings.keys();
    if (this.#warnings.size > MOST_WARNINGS && oldest !== undefined) this.#warnings.delete(oldest);
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
