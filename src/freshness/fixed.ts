import { now } from '../clock';
import type { CommitMark } from '../operation';
import type { FreshnessPolicy } from './policy';
import { Waiters } from './waiters';

/**
 * Trusts that no replica is ever further behind than a fixed time: a write expires on all of them
 * `windowMs` after its commit was acknowledged. As good as the guess: a longer lag is a stale read.
 */
export class FixedWindow implements FreshnessPolicy {
  readonly mode = 'fixed';
  readonly #windowMs: number;
  readonly #waiters = new Waiters();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  committed(_mark: CommitMark): void {
    // Expiry follows from the mark alone.
  }

  shows(_node: string, mark: CommitMark): boolean {
    return this.#restMs(mark) <= 0;
  }

  expired(mark: CommitMark): boolean {
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
    const shown = () => nodes.length > 0 && this.#restMs(mark) <= 0;
    // Timers run up to a millisecond early.
    const restMs = Math.ceil(this.#restMs(mark)) + 1;
    return this.#waiters.wait(shown, nodes.length > 0 ? Math.min(restMs, timeoutMs) : timeoutMs);
  }

  waitUntilAsOf(): Promise<boolean> {
    return Promise.resolve(false);
  }

  lag(_node: string): undefined {
    // A guess is no knowledge of the lag.
  }

  proofOf(_mark: CommitMark): undefined {
    // The time of a commit is all that this rule goes by.
  }

  whenPlaced(): Promise<void> {
    return Promise.resolve();
  }

  place(): undefined {
    // The log is not looked at.
  }

  run(_node: string): number {
    return 0;
  }

  isEverywhere(mark: CommitMark): boolean {
    return this.expired(mark);
  }

  refresh(): void {
    // Nothing to find out.
  }

  addNode(_node: string): void {
    // The same guess holds for it.
  }

  removeNode(_node: string): Promise<void> {
    return Promise.resolve();
  }

  inUse(_node: string): void {
    // Nobody is asked anything.
  }

  close(): Promise<void> {
    this.#waiters.close();
    return Promise.resolve();
  }

  #restMs(mark: CommitMark): number {
    return mark.at + this.#windowMs - now();
  }
}
