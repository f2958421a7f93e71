import { now } from '../clock';
import { NO_TABLE, isRefusal } from './bounded';
import type { ProbeEnvironment } from './environment';
import { Backoff, Loop } from './loop';
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
  readonly #onSample: () => void;
  readonly #probe: Probe;
  readonly #loop: Loop;
  readonly #backoff = new Backoff();
  #committed = 0;
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
    onSample: () => void;
    onLost: () => void;
  }) {
    this.#environment = parts.environment;
    this.#evidence = parts.evidence;
    this.#progress = parts.progress;
    this.#intervalMs = parts.intervalMs;
    this.#warn = parts.warn;
    this.#wanted = parts.wanted;
    this.#onSample = parts.onSample;
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
      const uncovered = this.#committed > this.#progress.sampled && this.#progress.proves;
      if (!this.#wanted() || !(uncovered || this.#unflushed !== undefined)) return undefined;
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
    const { row, processId } = await this.#probe.ask(this.#evidence.sampleSql(seq));
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
    await this.#probe.ask(flushSql);
    this.#unflushed = undefined;
  }

  async #explain(error: unknown): Promise<void> {
    const { primary } = this.#environment;
    if (!isRefusal(error)) {
      if (this.#backoff.failing) this.#warnUnreachable(error);
      return;
    }
    const { setupSql, remedy } = this.#evidence;
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
    this.#warn(
      `${primary} refuses to tell how far it is (${message(error)}): nothing is proven, and reads of ` +
        `written tables stay on the primary. To change that, ${remedy}.`,
    );
  }

  #warnUnreachable(error: unknown): void {
    this.#warn(
      `${this.#environment.primary} can't be probed (${message(error)}): reads of written tables stay ` +
        'on the primary until it can.',
    );
  }

  #settleFirst(): void {
    this.#answered = true;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
