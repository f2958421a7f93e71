import { now } from '../clock';
import { NO_TABLE, isRefusal } from './bounded';
import type { ProbeEnvironment } from './environment';
import { Backoff, Loop } from './loop';
import { notices } from './notices';
import { Probe } from './probe';
import type { Progress } from './progress';
import type { Evidence, Reading } from './reading';

/** Flushing writes WAL: not more often than this, however often it would help. */
const SHORTEST_FLUSH_GAP_MS = 20;

/**
 * Takes samples of the primary: at once when a commit has none yet, then at most one an interval,
 * and none at rest.
 */
export class PrimaryProbe {
  readonly #environment: ProbeEnvironment;
  readonly #evidence: Evidence;
  readonly #progress: Progress;
  readonly #intervalMs: number;
  readonly #warn: (message: string) => void;
  readonly #wanted: () => boolean;
  readonly #unmeasured: () => boolean;
  readonly #onSample: () => void;
  readonly #onFlushed: () => void;
  readonly #probe: Probe;
  readonly #loop: Loop;
  readonly #backoff = new Backoff();
  #committed = 0;
  #demanded = false;
  #sentAt = -Infinity;
  #unflushed: bigint | undefined;
  #flushedAt = -Infinity;
  #setUp = false;
  #answered = false;
  #waiters: (() => void)[] = [];

  constructor(parts: {
    environment: ProbeEnvironment;
    evidence: Evidence;
    progress: Progress;
    intervalMs: number;
    warn: (message: string) => void;
    /** Whether any replica could make use of a sample. */
    wanted: () => boolean;
    /** Whether some replica's lag is not known at all. */
    unmeasured: () => boolean;
    onSample: () => void;
    /** What replicas were waiting for has been flushed, and is on its way to them. */
    onFlushed: () => void;
    onLost: () => void;
  }) {
    this.#environment = parts.environment;
    this.#evidence = parts.evidence;
    this.#progress = parts.progress;
    this.#intervalMs = parts.intervalMs;
    this.#warn = parts.warn;
    this.#wanted = parts.wanted;
    this.#unmeasured = parts.unmeasured;
    this.#onSample = parts.onSample;
    this.#onFlushed = parts.onFlushed;
    const { environment } = parts;
    this.#probe = new Probe(() => environment.openProbe(environment.primary), parts.onLost);
    this.#loop = new Loop(
      () => this.#due(),
      () => this.#turn(),
    );
  }

  /** A commit with this number was acknowledged. */
  committed(seq: number): void {
    if (seq > this.#committed) this.#committed = seq;
    this.#loop.poke();
  }

  /** Somebody wants to know how things stand now. */
  demand(): void {
    this.#demanded = true;
    this.#loop.poke();
  }

  /** Something may have become due. */
  poke(): void {
    this.#loop.poke();
  }

  /** Resolves once the primary has answered, or has failed to. */
  firstAnswer(): Promise<void> {
    if (this.#answered) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** The connection is of the time before. */
  drop(): void {
    this.#unflushed = undefined;
    this.#probe.drop();
    this.#loop.poke();
  }

  async close(): Promise<void> {
    this.#loop.close();
    this.#settleFirst();
    await this.#probe.end(this.#evidence.cleanupSql);
  }

  #due(): number | undefined {
    if (!this.#progress.needsSample) {
      if (!this.#progress.proves || !this.#wanted()) return undefined;
      const uncovered = this.#committed > this.#progress.sampled;
      const heldUp = this.#unflushed !== undefined && this.#progress.underWay;
      if (!uncovered && !heldUp && !this.#demanded && !this.#unmeasured()) return undefined;
    }
    return Math.max(this.#sentAt + this.#intervalMs, this.#backoff.retryAt);
  }

  async #turn(): Promise<void> {
    try {
      await this.#probe.connect();
      await this.#sample();
      this.#backoff.succeeded();
    } catch (error) {
      this.#backoff.failed();
      await this.#explain(error);
    } finally {
      this.#settleFirst();
    }
  }

  async #sample(): Promise<void> {
    const { primary } = this.#environment;
    const ticket = this.#progress.ticket(primary);
    const seq = this.#environment.logicalTime();
    const sentAt = (this.#sentAt = now());
    this.#demanded = false;
    const { row, processId } = await this.#probe.ask(this.#evidence.sampleSql());
    const reading = this.#evidence.parse(row, processId);
    if (!this.#progress.primarySaid(reading, ticket, { seq, sentAt })) {
      // Another connection may lead to the right server.
      this.#probe.drop();
      throw new Error('not the primary');
    }
    this.#onSample();
    await this.#seeToFlushing(reading);
  }

  /** Samples wait for WAL that nobody flushes: when one still does at the next probe, do it for them. */
  async #seeToFlushing({ position, flushed }: Reading): Promise<void> {
    const { flushSql } = this.#evidence;
    if (flushSql === undefined || position === undefined || flushed === undefined) return;
    const waiting = this.#unflushed;
    if (waiting === undefined || flushed >= waiting) {
      this.#unflushed = position > flushed ? position : undefined;
      return;
    }
    const gapMs = Math.max(2 * this.#intervalMs, SHORTEST_FLUSH_GAP_MS);
    if (now() < this.#flushedAt + gapMs) return;
    this.#flushedAt = now();
    this.#unflushed = undefined;
    try {
      await this.#probe.ask(flushSql);
      this.#onFlushed();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#warn(notices.flushRefused(error));
    }
  }

  async #explain(error: unknown): Promise<void> {
    const { primary } = this.#environment;
    if (!isRefusal(error)) {
      if (this.#backoff.persisting) this.#warn(notices.primaryUnreachable(primary, error));
      return;
    }
    const { setupSql } = this.#evidence;
    if (error.code === NO_TABLE && setupSql !== undefined && !this.#setUp) {
      this.#setUp = true;
      this.#backoff.succeeded();
      try {
        await this.#probe.ask(setupSql);
        return;
      } catch (refused) {
        error = refused;
      }
    }
    this.#warn(notices.refused(primary, error, this.#evidence));
  }

  #settleFirst(): void {
    this.#answered = true;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}
