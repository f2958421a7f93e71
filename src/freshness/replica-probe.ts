import { now } from '../clock';
import { NO_TABLE, isRefusal } from './bounded';
import type { ProbeEnvironment } from './environment';
import { LagWatch } from './lag';
import { Backoff, Loop } from './loop';
import { notices } from './notices';
import type { Lag } from './policy';
import { Probe } from './probe';
import type { Progress } from './progress';
import type { Evidence } from './reading';

const LONGEST_GAP_MS = 1000;
/** About how long flushed WAL is on its way to a standby that has nothing else to do. */
const TRANSIT_MS = 1;

/**
 * A replica that serves reads, and was asked nothing for so long, is asked whether it still may. A
 * promotion takes about a second to do its work, so asking more often would find out little sooner.
 */
const LOOK_AFTER_MS = 1000;

/** Asks one replica how far it is: while a sample is on its way to it, or it has to prove itself. */
export class ReplicaProbe {
  readonly #node: string;
  readonly #evidence: Evidence;
  readonly #progress: Progress;
  readonly #intervalMs: number;
  readonly #warn: (message: string) => void;
  readonly #onAnswer: () => void;
  readonly #onLag: (ms: number) => void;
  readonly #probe: Probe;
  readonly #loop: Loop;
  readonly #backoff = new Backoff();
  readonly #lag = new LagWatch();
  #askedAt = -Infinity;
  #unfitSince: number | undefined;
  #doubted = false;

  constructor(
    node: string,
    parts: {
      environment: ProbeEnvironment;
      evidence: Evidence;
      progress: Progress;
      intervalMs: number;
      warn: (message: string) => void;
      onAnswer: () => void;
      onLag: (ms: number) => void;
      onLost: () => void;
    },
  ) {
    this.#node = node;
    this.#evidence = parts.evidence;
    this.#progress = parts.progress;
    this.#intervalMs = parts.intervalMs;
    this.#warn = parts.warn;
    this.#onAnswer = parts.onAnswer;
    this.#onLag = parts.onLag;
    this.#probe = new Probe(() => parts.environment.openProbe(node), parts.onLost);
    this.#loop = new Loop(
      () => this.#due(),
      () => this.#turn(),
    );
  }

  /** Whether samples are of any use to it: it answers, and can pass them. */
  get wantsSamples(): boolean {
    const standing = this.#progress.standing(this.#node);
    if (standing === 'primary') return true;
    return !this.#backoff.failing && (standing === 'proven' || standing === 'unread');
  }

  /** Nothing is known of its lag, and no sample is on its way to it that would tell. */
  get unmeasured(): boolean {
    return (
      !this.#backoff.failing &&
      this.#lag.last === undefined &&
      this.#progress.standing(this.#node) === 'proven' &&
      this.#progress.pending(this.#node) === undefined
    );
  }

  /** It does not answer, or has not passed a sample for longer than `ms`. */
  isSlowerThan(ms: number): boolean {
    if (this.#backoff.failing) return true;
    const pending = this.#progress.pending(this.#node);
    return pending !== undefined && now() - pending.sentAt > ms;
  }

  /** Something may have become due. */
  poke(): void {
    this.#loop.poke();
  }

  /** It serves reads. What was found out about it long ago may not hold any more. */
  inUse(): void {
    if (now() < this.#askedAt + LOOK_AFTER_MS) return;
    // The primary under another name would be asked at rest, and of a crowd one answer says nothing.
    if (this.#progress.standing(this.#node) !== 'proven') return;
    this.#doubted = true;
    this.#loop.poke();
  }

  /** What it waits for has been sent to it. */
  expect(): void {
    this.#lag.expectAt(now() + TRANSIT_MS);
    this.#loop.poke();
  }

  /** Somebody waits for it until then. */
  hurryUntil(at: number): void {
    this.#lag.hurryUntil(at);
    this.#loop.poke();
  }

  /** The connection is of the time before. */
  drop(): void {
    this.#probe.drop();
    this.#lag.forget();
    this.#loop.poke();
  }

  lag(): Lag | undefined {
    const ms = this.#lag.lagMs(this.#progress.pending(this.#node), now());
    if (ms === undefined || !this.#progress.serves(this.#node)) return undefined;
    const bytes = this.#evidence.countsBytes ? this.#progress.distance(this.#node) : undefined;
    return { ms, bytes, asOf: this.#lag.asOf };
  }

  async close(): Promise<void> {
    this.#loop.close();
    await this.#probe.end();
  }

  #due(): number | undefined {
    const due = this.#dueByItself();
    if (due !== undefined || !this.#doubted) return due;
    return Math.max(this.#askedAt + this.#intervalMs, this.#backoff.retryAt);
  }

  #dueByItself(): number | undefined {
    switch (this.#progress.standing(this.#node)) {
      case 'proven': {
        const pending = this.#progress.pending(this.#node);
        // Proven by a connection of the pools while its own failed: samples wait for it to answer.
        if (!pending) return this.#backoff.failing ? this.#backoff.retryAt : undefined;
        return Math.max(
          this.#lag.nextAsk(pending, this.#intervalMs),
          // A refusal leaves what it has shown, but asking goes slower.
          this.#backoff.retryAt,
        );
      }
      case 'unread':
      case 'void':
        return Math.max(this.#askedAt + this.#intervalMs, this.#backoff.retryAt);
      case 'behind':
        return Math.max(this.#askedAt + this.#catchUpGapMs(), this.#backoff.retryAt);
      case 'primary':
      case 'mixed':
      case 'opaque':
      case undefined:
        return undefined;
    }
  }

  #catchUpGapMs(): number {
    const sinceMs = this.#askedAt - (this.#unfitSince ?? this.#askedAt);
    return Math.min(Math.max(this.#intervalMs, sinceMs / 8), LONGEST_GAP_MS);
  }

  async #turn(): Promise<void> {
    try {
      await this.#probe.connect();
      await this.#ask();
    } catch (error) {
      this.#failed(error);
    }
    this.#onAnswer();
  }

  async #ask(): Promise<void> {
    const ticket = this.#progress.ticket(this.#node);
    this.#askedAt = now();
    this.#doubted = false;
    this.#lag.asked(this.#askedAt);
    const { row, processId } = await this.#probe.ask(this.#evidence.readSql);
    const reading = this.#evidence.parse(row, processId);
    const { passed } = this.#progress.replicaSaid(this.#node, reading, ticket);
    if (passed) {
      const ms = now() - passed.sentAt;
      this.#lag.saw(passed, ms);
      this.#onLag(ms);
    }
    if (this.#progress.serves(this.#node)) this.#unfitSince = undefined;
    else this.#unfitSince ??= this.#askedAt;
    // What is none of ours is asked again, but not all the time.
    if (this.#progress.standing(this.#node) === 'void') this.#backoff.failed();
    else this.#backoff.succeeded();
  }

  #failed(error: unknown): void {
    this.#backoff.failed();
    if (isRefusal(error)) {
      // A table that we have just made on the primary comes by replication.
      if (error.code === NO_TABLE && this.#evidence.setupSql !== undefined) return;
      return this.#warn(notices.refused(this.#node, error, this.#evidence));
    }
    if (this.#backoff.persisting) this.#warn(notices.replicaUnreachable(this.#node, error));
    // A node that can't be asked is not known to be where it was.
    if (this.#progress.standing(this.#node) !== 'void') this.#progress.lost(this.#node);
  }
}
