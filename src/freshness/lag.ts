import { HURRIED_GAP_MS } from './probe';
import type { Sample } from './samples';

const REMEMBERED = 8;

/** Intervals around the expected moment during which each one is worth a question. */
const DENSE_AFTER = 5;
const LONGEST_GAP_MS = 1000;

/** How far one replica was behind lately, and from that when it is worth asking again. */
export class LagWatch {
  #recent: number[] = [];
  #askedAt = -Infinity;
  #asOf = -Infinity;
  #expectedAt = -Infinity;
  #hurriedUntil = -Infinity;

  /** The newest lag seen, in milliseconds. */
  get last(): number | undefined {
    return this.#recent.at(-1);
  }

  /** It shows everything that was acknowledged by then, in monotonic milliseconds. */
  get asOf(): number {
    return this.#asOf;
  }

  asked(at: number): void {
    this.#askedAt = at;
  }

  /** What it waits for was sent just now: worth a question of its own, out of turn. */
  expectAt(at: number): void {
    this.#expectedAt = at;
  }

  /** A read waits for it until then, and no longer: worth more questions. */
  hurryUntil(at: number): void {
    this.#hurriedUntil = Math.max(this.#hurriedUntil, at);
  }

  /** The replica was seen to have passed a sample, `ms` after it was sent. */
  saw(sample: Sample, ms: number): void {
    this.#asOf = Math.max(this.#asOf, sample.sentAt);
    this.#recent.push(ms);
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
  }

  forget(): void {
    this.#recent = [];
    this.#asOf = -Infinity;
  }

  /**
   * How far it is behind, at most, as far as samples tell: what was measured last, or longer when it
   * is known to have needed longer since. With nothing on its way it does not grow: an idle primary
   * gives nothing to be behind of.
   */
  lagMs(pending: Sample | undefined, at: number): number | undefined {
    const { last } = this;
    if (last === undefined || !pending) return last;
    return Math.max(last, at - pending.sentAt);
  }

  /**
   * The moment of the next question while `pending` is on its way. At once, then in growing steps
   * until around the time it took lately, then each interval, then in growing steps again: a replica
   * a second behind is asked a dozen times, not a hundred, and still caught within an interval.
   */
  nextAsk(pending: Sample, intervalMs: number): number {
    const regular = this.#nextRegularAsk(pending, intervalMs);
    const hurried = this.#nextHurriedAsk(pending, intervalMs);
    const next = hurried <= this.#hurriedUntil ? Math.min(regular, hurried) : regular;
    return this.#expectedAt > this.#askedAt ? Math.min(next, this.#expectedAt) : next;
  }

  #nextHurriedAsk({ sentAt }: Sample, intervalMs: number): number {
    const soonest = this.#askedAt + Math.min(HURRIED_GAP_MS, intervalMs);
    const low = Math.min(...this.#recent);
    return Number.isFinite(low) ? Math.max(soonest, sentAt + low - intervalMs / 2) : soonest;
  }

  #nextRegularAsk(pending: Sample, intervalMs: number): number {
    const soonest = this.#askedAt + intervalMs;
    const age = this.#askedAt - pending.sentAt;
    if (age < 0) return soonest;
    const low = Math.min(...this.#recent);
    const high = Math.max(...this.#recent, 0);
    const dense = pending.sentAt + low - intervalMs / 2;
    if (this.#askedAt < dense && Number.isFinite(low)) {
      return Math.max(soonest, Math.min(pending.sentAt + 2 * age, dense));
    }
    const overdue = age - high - DENSE_AFTER * intervalMs;
    if (overdue <= 0) return soonest;
    return this.#askedAt + Math.min(Math.max(intervalMs, overdue / 8), LONGEST_GAP_MS);
  }
}
