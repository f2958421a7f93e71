import { QueryTypes } from 'sequelize';
import { ReplicasUnavailableError } from '../errors';
import type { FreshnessPolicy } from '../freshness';
import { UNCHECKED, type Frame, type Ledger, type TableEntry } from '../operation';
import type { ResolvedOptions } from '../resolve-options';
import {
  decide,
  lagBound,
  rememberingDecide,
  type LiveWriteView,
  type Reason,
  type Verdict,
  type Wishes,
} from '../routing';
import type { Connection, StatementOptions } from './internals';
import { NONE_TOUCHED, type Knowledge } from './knowledge';
import type { LiveTables, LiveWrites } from './live-writes';
import type { SessionReads } from './session-reads';
import type { Nodes } from './nodes';
import { ReplicaViews } from './replica-views';
import { Route } from './route';
import type { Statement } from './statement';
import { Waits, isTooFarBehind } from './waits';
import { wishesOf, wishesOfTransaction } from './wishes';

/** The primary takes the read only for want of a replica. */
const FALLBACKS: ReadonlySet<Reason> = new Set([
  'no-replica-fit',
  'replica-failed',
  'too-far-behind',
]);
const NO_WRITES: readonly LiveWriteView[] = Object.freeze([]);
/** Stands for any number of live writes that the statement does not touch: who shows them is no matter. */
const UNTOUCHED: readonly LiveWriteView[] = Object.freeze([
  Object.freeze({ touched: 'no', shownBy: Object.freeze([]) }),
]);

/** The router's look at the pools: none where statements stay where Sequelize sends them. */
export interface Health {
  usable(node: string): boolean;
  nodeOf(connection: Connection): string | undefined;
}

/** Brings together who asks, what they ask and what is known of the nodes, and lets `decide` say. */
export class Router {
  readonly waits: Waits;
  readonly #options: ResolvedOptions;
  readonly #ledger: Ledger;
  readonly #policy: FreshnessPolicy;
  readonly #knowledge: Knowledge;
  readonly #nodes: Nodes;
  readonly #writes: LiveWrites;
  readonly #sessions: SessionReads;
  readonly #views: ReplicaViews;
  #health: Health | undefined;
  readonly #decide = rememberingDecide();
  readonly #serves = (node: string): boolean => this.#policy.serves(node);

  constructor(parts: {
    options: ResolvedOptions;
    ledger: Ledger;
    policy: FreshnessPolicy;
    knowledge: Knowledge;
    nodes: Nodes;
    writes: LiveWrites;
    sessions: SessionReads;
  }) {
    const { freshness } = parts.options;
    this.#options = parts.options;
    this.#ledger = parts.ledger;
    this.#policy = parts.policy;
    this.#knowledge = parts.knowledge;
    this.#nodes = parts.nodes;
    this.#writes = parts.writes;
    this.#sessions = parts.sessions;
    this.#views = new ReplicaViews(parts.nodes, parts.policy);
    this.waits = new Waits({
      policy: parts.policy,
      sessions: parts.sessions,
      catchUpWaitMs: freshness.mode === 'proven' ? freshness.catchUpWaitMs : 0,
      viewsFor: (statement) => this.#views.of(statement.failedOn, undefined),
      boundOf: (statement, options) => this.#boundOf(wishesOf(statement, options, this.#options)),
      touchedEntries: (statement) => this.#touchedEntries(statement),
      decide: (statement, options) => this.decide(statement, options),
    });
  }

  /** Tells which replicas are up, once there are pools of ours. */
  watch(health: Health): void {
    this.#health = health;
    this.#views.watch((node) => health.usable(node));
  }

  /** Decides where a statement outside any transaction goes. */
  decide(statement: Statement, options: StatementOptions): Verdict {
    const { frame } = statement;
    const wishes = wishesOf(statement, options, this.#options);
    statement.readsBefore = this.#sessions.readsBefore(frame);
    statement.verdict = this.#decide({
      statement: this.#knowledge.view(statement),
      wishes,
      primaryBeforeWrite: this.#primaryBeforeWrite(frame),
      primaryOutside: this.#primaryOutside(frame),
      maxLagMs: this.#options.maxReplicaLagMs,
      waited: statement.waitedMs > 0,
      failed: statement.failedOn.length > 0,
      writes: this.#writeViews(this.#writes.of(frame), statement),
      nodes: this.#views.of(statement.failedOn, this.#boundOf(wishes)),
      seenBy: this.#sessions.seenBy(frame),
    });
    if (statement.verdict.reason === 'asked-replica') this.#noteUnchecked(statement);
    return statement.verdict;
  }

  /** Whoever asks for a replica is given one that may be behind what the session has read. */
  #noteUnchecked(statement: Statement): void {
    if (this.#sessions.seen(statement.frame.operation)?.mark) statement.readsBefore = UNCHECKED;
  }

  /** The way to the pools for a statement that was decided on: a route, or Sequelize's own `true`. */
  routeOf(statement: Statement, options: StatementOptions): Route | true {
    const { verdict } = statement;
    if (!verdict) return true;
    if (verdict.target === 'replica') {
      return this.#toReplica(verdict, statement.frame, statement);
    }
    const fallback = FALLBACKS.has(verdict.reason) && !verdict.behindSession;
    if (fallback && this.#options.onNoReplica === 'error') {
      throw new ReplicasUnavailableError(
        `no replica can take the read (${verdict.reason}), and onNoReplica: 'error' keeps it from the primary.`,
      );
    }
    // What Sequelize itself sends to the pool for writes stays with it: raw SQL that sets up a session
    // (a temporary table, a setting, a lock) finds it again there. What it would read elsewhere must
    // not wait for that pool, which transactions may hold as a whole while they wait for the read.
    const isSelect = options.type === QueryTypes.SELECT && statement.useMaster !== true;
    if (!isSelect || verdict.reason === 'primary-only-relation') return true;
    return Route.toPrimary({ fallback });
  }

  /** The way for a read-only transaction: it is one read of tables that nobody knows yet. */
  routeOfReadOnlyTransaction(frame: Frame): Route | true | Promise<Route | true> {
    const bound = this.#boundOf(wishesOfTransaction(frame));
    const verdict = this.#decideReadOnlyTransaction(frame, bound);
    if (bound === undefined || !isTooFarBehind(verdict)) {
      return this.#routeOfTransaction(verdict, frame);
    }
    return this.waits
      .untilLagIsKnown(this.#views.of([], undefined), bound)
      .then(() => this.#routeOfTransaction(this.#decideReadOnlyTransaction(frame, bound), frame));
  }

  #decideReadOnlyTransaction(frame: Frame, bound: number | undefined): Verdict {
    return decide({
      statement: {
        nature: 'read',
        primaryOnly: false,
        feedsWrite: frame.feedsWrite?.active === true,
      },
      wishes: wishesOfTransaction(frame),
      primaryBeforeWrite: this.#primaryBeforeWrite(frame),
      primaryOutside: this.#primaryOutside(frame),
      maxLagMs: this.#options.maxReplicaLagMs,
      waited: false,
      failed: false,
      writes: this.#writeViews(this.#writes.of(frame), undefined),
      nodes: this.#views.of([], bound),
      seenBy: this.#sessions.seenBy(frame),
    });
  }

  #routeOfTransaction(verdict: Verdict, frame: Frame): Route | true {
    return verdict.target === 'primary' ? true : this.#toReplica(verdict, frame, undefined);
  }

  nodeOf(connection: Connection): string {
    return this.#health?.nodeOf(connection) ?? this.#nodes.of(connection);
  }

  /** The tables the statement reads; `undefined` when they are not known. */
  tablesRead(statement: Statement): readonly string[] | undefined {
    const { tables, unknown } = this.#knowledge.reads(statement);
    return unknown ? undefined : tables;
  }

  /** Without a statement it may touch whatever is live. */
  #toReplica(verdict: Verdict, frame: Frame, statement: Statement | undefined): Route {
    const { replicas } = this.#nodes;
    const { eligible, reason } = verdict;
    const names = eligible.length === replicas.length ? replicas : namesAt(eligible, replicas);
    return Route.toReplica(
      names,
      this.#recheckOf(reason, frame, statement),
      this.#options.onNoReplica,
    );
  }

  /** Asked on the connection picked: queueing takes time, and a node may have been lost meanwhile. */
  #recheckOf(
    reason: Reason,
    frame: Frame,
    statement: Statement | undefined,
  ): (node: string) => boolean {
    const shownBy = reason === 'asked-replica' ? undefined : this.#sessions.shownBy(frame);
    const untouched = reason !== 'caught-up' && reason !== 'waited';
    if (untouched && !shownBy) return this.#serves;
    return this.#servesAll(untouched ? [] : this.#entriesFor(frame, statement), shownBy);
  }

  #entriesFor(frame: Frame, statement: Statement | undefined): readonly TableEntry[] {
    return statement ? this.#touchedEntries(statement) : this.#writes.of(frame).entries;
  }

  #servesAll(
    entries: readonly TableEntry[],
    shownBy: ((node: string) => boolean) | undefined,
  ): (node: string) => boolean {
    return (node) =>
      this.#serves(node) &&
      entries.every((entry) => this.#writes.shownBy(node, entry)) &&
      (!shownBy || shownBy(node));
  }

  #boundOf(wishes: Wishes): number | undefined {
    const bound = lagBound({ maxLagMs: this.#options.maxReplicaLagMs, wishes });
    return bound === Infinity ? undefined : bound;
  }

  /** Without a statement nothing is known of the tables that are read. */
  #writeViews(
    { entries, tables }: LiveTables,
    statement: Statement | undefined,
  ): readonly LiveWriteView[] {
    if (entries.length === 0) return NO_WRITES;
    const answers = statement && this.#knowledge.touched(statement, tables);
    if (answers === NONE_TOUCHED) return UNTOUCHED;
    return entries.map((entry, index) => ({
      touched: answers?.[index] ?? 'unknown',
      shownBy: this.#nodes.replicas.map((name) => this.#writes.shownBy(name, entry)),
    }));
  }

  #touchedEntries(statement: Statement): readonly TableEntry[] {
    const { entries, tables } = this.#writes.of(statement.frame);
    const touched = this.#knowledge.touched(statement, tables);
    if (touched === NONE_TOUCHED) return [];
    return entries.filter((_, index) => touched[index] !== 'no');
  }

  #primaryBeforeWrite({ operation, field }: Frame): boolean {
    if (this.#options.mutationReads !== 'primary' || !operation) return false;
    // Also a mutation that is part of a request, or of a job.
    const isMutation = operation.info.kind === 'mutation' || field?.execution.serial === true;
    return isMutation && !this.#ledger.hasWritten(operation);
  }

  #primaryOutside({ operation }: Frame): boolean {
    return operation === undefined && this.#options.outsideOperation === 'primary';
  }
}

function namesAt(indexes: readonly number[], names: readonly string[]): string[] {
  return indexes.flatMap((index) => names[index] ?? []);
}
