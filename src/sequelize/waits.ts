import { now } from '../clock';
import type { FreshnessPolicy } from '../freshness';
import type { CommitMark, TableEntry } from '../operation';
import type { NodeView, Verdict } from '../routing';
import type { StatementOptions } from './internals';
import type { SessionReads } from './session-reads';
import type { Statement } from './statement';

/**
 * How long a read with a bound on the lag waits for probes that have been at rest, in milliseconds:
 * two questions take about two, a first connection or a flush ten more.
 */
const ANSWER_WAIT_MS = 50;

export interface WaitsParts {
  readonly policy: FreshnessPolicy;
  readonly sessions: SessionReads;
  /** How long a read may wait for a replica to have a write, in milliseconds. */
  readonly catchUpWaitMs: number;
  readonly viewsFor: (statement: Statement) => readonly NodeView[];
  /** The bound on the lag that holds for it, in milliseconds. */
  readonly boundOf: (statement: Statement, options: StatementOptions) => number | undefined;
  /** The live writes that it touches. */
  readonly touchedEntries: (statement: Statement) => readonly TableEntry[];
  readonly decide: (statement: Statement, options: StatementOptions) => Verdict;
}

/** Holds reads back for a moment, where a replica may take them after it. */
export class Waits {
  readonly #parts: WaitsParts;

  constructor(parts: WaitsParts) {
    this.#parts = parts;
  }

  /** Whether a statement that was sent to the primary may wait for a replica instead. */
  mayWait(statement: Statement): boolean {
    return isTooFarBehind(statement.verdict) || this.#mayCatchUp(statement);
  }

  /** Holds it back until a replica may take it, or the time is over, and decides again. */
  async wait(statement: Statement, options: StatementOptions): Promise<void> {
    if (isTooFarBehind(statement.verdict)) await this.#forLag(statement, options);
    if (this.#mayCatchUp(statement)) await this.#forWrites(statement, options);
  }

  /** Until it is known how far replicas are behind, which nobody asks them at rest. */
  async untilLagIsKnown(nodes: readonly NodeView[], boundMs: number): Promise<void> {
    // Not just within the bound: time goes on until the decision.
    const asOf = now() - boundMs / 2;
    await this.#parts.policy.waitUntilAsOf(fitOf(nodes), asOf, Math.min(boundMs, ANSWER_WAIT_MS));
  }

  async #forLag(statement: Statement, options: StatementOptions): Promise<void> {
    const { viewsFor, boundOf, decide } = this.#parts;
    const boundMs = boundOf(statement, options);
    if (boundMs === undefined) return;
    const from = now();
    await this.untilLagIsKnown(viewsFor(statement), boundMs);
    noteWait(statement, from);
    decide(statement, options);
  }

  #mayCatchUp({ verdict }: Statement): boolean {
    return (
      this.#parts.catchUpWaitMs > 0 &&
      (verdict?.behindSession === true ||
        verdict?.reason === 'table-written' ||
        verdict?.reason === 'tables-unknown')
    );
  }

  async #forWrites(statement: Statement, options: StatementOptions): Promise<void> {
    const { policy, sessions, catchUpWaitMs, viewsFor, touchedEntries, decide } = this.#parts;
    const entries = touchedEntries(statement);
    const { mark: seen } = sessions.seen(statement.frame.operation) ?? {};
    const marks: CommitMark[] = seen ? [seen] : [];
    const settled = entries.flatMap(({ inFlight, uncommitted, newest }) =>
      inFlight > 0 || uncommitted > 0 || !newest ? [] : [newest],
    );
    const newest = marks
      .concat(settled)
      .reduce<CommitMark | undefined>(
        (last, mark) => (last && last.seq > mark.seq ? last : mark),
        undefined,
      );
    // What is still open has no position that a replica could reach.
    if (!newest || settled.length < entries.length) {
      decide(statement, options);
      return;
    }
    const from = now();
    await policy.waitUntilShown(fitOf(viewsFor(statement)), newest, catchUpWaitMs);
    noteWait(statement, from);
    decide(statement, options);
  }
}

/** Too far behind for the bound on the lag, not for what the session has read. */
export function isTooFarBehind(verdict: Verdict | undefined): boolean {
  return verdict?.reason === 'too-far-behind' && !verdict.behindSession;
}

function fitOf(nodes: readonly NodeView[]): string[] {
  return nodes.filter(({ fit }) => fit).map(({ name }) => name);
}

function noteWait(statement: Statement, from: number): void {
  statement.waitedMs = Math.max(statement.waitedMs + now() - from, Number.MIN_VALUE);
}
