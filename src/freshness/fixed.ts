import { now } from '../clock';
import type { CommitMark } from '../operation';
import type { FreshnessPolicy } from './policy';

/**
 * Trusts that no replica is ever further behind than a fixed time: a write expires on all of them
 * `windowMs` after its commit was acknowledged. As good as the guess: a longer lag is a stale read.
 */
export class FixedWindow implements FreshnessPolicy {
  readonly mode = 'fixed';
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  committed(_mark: CommitMark): void {
    // Expiry follows from the mark alone.
  }

  shows(_node: string, mark: CommitMark): boolean {
    return now() - mark.at >= this.#windowMs;
  }

  close(): void {
    // Nothing runs in the background.
  }
}
