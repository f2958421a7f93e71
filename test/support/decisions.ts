import type { Decision, FreshReads } from '../../src';

/** Collects decisions as one line each: `replica no-live-writes users`. */
export class DecisionLog {
  readonly all: Decision[] = [];
  readonly #subscription: { dispose(): void };

  constructor(reads: FreshReads) {
    this.#subscription = reads.onDecision((decision) => this.all.push(decision));
  }

  /** The lines since the last call. */
  take(): string[] {
    return this.all
      .splice(0)
      .map(({ target, reason, tables }) => `${target} ${reason} ${tables.join(',')}`.trim());
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
