import { now } from '../clock';
import { NO_TABLE, isRefusal } from './bounded';
import type { ProbeEnvironment } from './environment';
import { Backoff, Loop } from './loop';
import { notices } from './notices';
import { HURRIED_GAP_MS, Probe } from './probe';
import type { Progress } from './progress';
import type { Evidence, Reading } from './reading';

/** Flushing writes WAL: not more often than this, however often it would help. */
const SHORTEST_FLUSH_GAP_MS = 10;

/**
 * How long a sample may lie behind unflushed WAL before something is done about it, in milliseconds:
 * a commit that is just being made flushes it within about this time.
 */
const SETTLE_MS = 3;

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
  #hurried = false;
  #awaited = 0;
  #sentAt = -Infinity;
  /** A sample that no standby can reach yet, and the moment at which that was seen. */
  #unflushed: { readonly position: bigint; readonly since: number } | undefined;
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

  /** A read waits until the commit with this number is shown. */
  hurryFor(seq: number): void {
    if (seq > this.#awaited) this.#awaited = seq;
    this.#loop.poke();
  }

  /** Somebody wants to know how things stand now; `hurried`: a read waits for it. */
  demand(hurried = false): void {
    this.#demanded = true;
    this.#hurried ||= hurried;
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
    const sampleAt = this.#sampleDue();
    const flushAt = this.#flushDue();
    if (sampleAt === undefined && flushAt === undefined) return undefined;
    return Math.max(Math.min(sampleAt ?? Infinity, flushAt ?? Infinity), this.#backoff.retryAt);
  }

  #sampleDue(): number | undefined {
    if (!this.#progress.needsSample) {
      if (!this.#progress.proves || !this.#wanted()) return undefined;
      if (!this.#uncovered && !this.#demanded && !this.#unmeasured()) return undefined;
    }
    const isAwaited = this.#hurried || this.#awaited > this.#progress.sampled;
    return (
      this.#sentAt + (isAwaited ? Math.min(HURRIED_GAP_MS, this.#intervalMs) : this.#intervalMs)
    );
  }

  /** The next sample tells whether a flush is still needed; one is made without it where none is due. */
  #flushDue(): number | undefined {
    if (!this.#unflushed || this.#uncovered || !this.#wanted()) return undefined;
    if (!this.#progress.underWay) return undefined;
    return Math.max(this.#unflushed.since + SETTLE_MS, this.#nextFlushAt);
  }

  get #uncovered(): boolean {
    return this.#committed > this.#progress.sampled;
  }

  get #nextFlushAt(): number {
    return this.#flushedAt + Math.max(this.#intervalMs, SHORTEST_FLUSH_GAP_MS);
  }

  async #turn(): Promise<void> {
    try {
      await this.#probe.connect();
      const sampleAt = this.#sampleDue();
      if (sampleAt !== undefined && sampleAt <= now()) await this.#sample();
      else await this.#flush();
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
    this.#demanded = this.#hurried = false;
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

  /** Notes whether this sample lies behind unflushed WAL; flushes for one that has for long enough. */
  async #seeToFlushing({ position, flushed }: Reading): Promise<void> {
    if (this.#evidence.flushSql === undefined) return;
    if (position === undefined || flushed === undefined) return;
    const waiting = this.#unflushed;
    if (!waiting || flushed >= waiting.position) {
      this.#unflushed = position > flushed ? { position, since: now() } : undefined;
    } else if (now() >= this.#nextFlushAt) {
      await this.#flush();
    }
  }

  /** Samples wait for WAL that nobody flushes: do it for them. */
  async #flush(): Promise<void> {
    const { flushSql } = this.#evidence;
    const waiting = this.#unflushed;
    if (!flushSql || !waiting) return;
    this.#flushedAt = now();
    this.#unflushed = undefined;
    try {
      await this.#probe.ask(flushSql(waiting.position));
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
