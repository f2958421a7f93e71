import { later, now } from '../clock';
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
    return this.#restMs(mark) <= 0;
  }

  serves(_node: string): boolean {
    return true;
  }

  admit(): Promise<boolean> {
    return Promise.resolve(true);
  }

  lost(_node: string): void {
    // A window knows nothing of nodes.
  }

  waitUntilShown(nodes: readonly string[], mark: CommitMark, timeoutMs: number): Promise<boolean> {
    const restMs = Math.max(this.#restMs(mark), 0);
    const inTime = nodes.length > 0 && restMs <= timeoutMs;
    return new Promise((resolve) => later(inTime ? restMs : timeoutMs, () => resolve(inTime)));
  }

  lag(_node: string): undefined {
    // A guess is no knowledge of the lag.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #restMs(mark: CommitMark): number {
    return mark.at + this.#windowMs - now();
  }
}
