import { QueryTypes } from 'sequelize';
import { now } from '../clock';
import { ReplicasUnavailableError } from '../errors';
import type { FreshnessPolicy } from '../freshness';
import {
  EVERYTHING,
  toRecord,
  type CommitMark,
  type Frame,
  type Ledger,
  type Seen,
  type TableEntry,
} from '../operation';
import type { ResolvedOptions } from '../resolve-options';
import {
  decide,
  lagBound,
  type Decision,
  type LiveWriteView,
  type NodeView,
  type Reason,
  type Target,
  type Verdict,
  type Wishes,
} from '../routing';
import type { Connection, StatementOptions } from './internals';
import type { Knowledge } from './knowledge';
import type { LiveWrites } from './live-writes';
import type { SessionReads } from './session-reads';
import { PRIMARY, type Nodes } from './nodes';
import { freshnessOf } from './query-options';
import { Route } from './route';
import type { Statement } from './statement';

/** The primary takes the read only for want of a replica. */
const FALLBACKS: ReadonlySet<Reason> = new Set([
  'no-replica-fit',
  'replica-failed',
  'too-far-behind',
]);
const { SELECT, RAW }: Record<'SELECT' | 'RAW', string> = QueryTypes;
const NO_WRITES: readonly LiveWriteView[] = Object.freeze([]);

/** The router's look at the pools: none where statements stay where Sequelize sends them. */
export interface Health {
  usable(node: string): boolean;
  nodeOf(connection: Connection): string | undefined;
}

/** Brings together who asks, what they ask and what is known of the nodes, and lets `decide` say. */
export class Router {
  readonly #options: ResolvedOptions;
  readonly #ledger: Ledger;
  readonly #policy: FreshnessPolicy;
  readonly #knowledge: Knowledge;
  readonly #nodes: Nodes;
  readonly #writes: LiveWrites;
  readonly #sessions: SessionReads;
  readonly #catchUpWaitMs: number;
  #health: Health | undefined;
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
    this.#catchUpWaitMs = freshness.mode === 'proven' ? freshness.catchUpWaitMs : 0;
  }

  /** Tells which replicas are up, once there are pools of ours. */
  watch(health: Health): void {
    this.#health = health;
  }

  /** Decides where a statement outside any transaction goes. */
  decide(statement: Statement, options: StatementOptions): Verdict {
    const { frame } = statement;
    const wishes: Wishes = {
      transaction: undefined,
      useMaster: statement.useMaster === true || this.#staysOnPrimary(options),
      query: freshnessOf(options),
      scope: wishOf(frame),
      field: frame.freshness,
    };
    statement.verdict = decide({
      statement: this.#knowledge.view(statement),
      wishes,
      primaryBeforeWrite: this.#primaryBeforeWrite(frame),
      primaryOutside: this.#primaryOutside(frame),
      maxLagMs: this.#options.maxReplicaLagMs,
      waited: statement.waitedMs > 0,
      failed: statement.failedOn.length > 0,
      writes: this.#writeViews(this.#writes.of(frame), (tables) =>
        this.#knowledge.touched(statement, tables),
      ),
      nodes: this.#nodeViews(statement.failedOn, this.#boundOf(wishes)),
      seenBy: this.#seenBy(statement),
    });
    return statement.verdict;
  }

  /** Whether a statement that was sent to the primary may wait for a replica instead. */
  mayWait({ verdict }: Statement): boolean {
    return (
      this.#catchUpWaitMs > 0 &&
      (verdict?.behindSession === true ||
        verdict?.reason === 'table-written' ||
        verdict?.reason === 'tables-unknown')
    );
  }

  /** Holds a statement back until a replica has caught up, or the time is over, and decides again. */
  async wait(statement: Statement, options: StatementOptions): Promise<Verdict> {
    const entries = this.#touchedEntries(statement);
    const { mark: seen } = this.#sessions.seen(statement.frame.operation) ?? {};
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
    if (!newest || settled.length < entries.length) return this.decide(statement, options);
    const fit = this.#nodeViews(statement.failedOn, undefined).filter((node) => node.fit);
    const from = now();
    const names = fit.map(({ name }) => name);
    await this.#policy.waitUntilShown(names, newest, this.#catchUpWaitMs);
    statement.waitedMs = Math.max(now() - from, Number.MIN_VALUE);
    return this.decide(statement, options);
  }

  /** The way to the pools for a statement that was decided on: a route, or Sequelize's own `true`. */
  routeOf(statement: Statement, options: StatementOptions): Route | true {
    const { verdict } = statement;
    if (!verdict) return true;
    if (verdict.target === 'replica') return this.#toReplica(verdict, statement);
    const fallback = FALLBACKS.has(verdict.reason) && !verdict.behindSession;
    if (fallback && this.#options.onNoReplica === 'error') {
      throw new ReplicasUnavailableError(
        `no replica can take the read (${verdict.reason}), and onNoReplica: 'error' keeps it from the primary.`,
      );
    }
    // What Sequelize itself sends to the pool for writes stays with it: raw SQL that sets up a session
    // (a temporary table, a setting, a lock) finds it again there. What it would read elsewhere must
    // not wait for that pool, which transactions may hold as a whole while they wait for the read.
    const isSelect = options.type === SELECT && statement.useMaster !== true;
    if (!isSelect || verdict.reason === 'primary-only-relation') return true;
    return Route.toPrimary({ fallback });
  }

  /** The way for a read-only transaction: it is one read of tables that nobody knows yet. */
  routeOfReadOnlyTransaction(frame: Frame): Route | true {
    const verdict = decide({
      statement: {
        nature: 'read',
        primaryOnly: false,
        feedsWrite: frame.feedsWrite?.active === true,
      },
      wishes: {
        transaction: undefined,
        useMaster: false,
        query: undefined,
        scope: wishOf(frame),
        field: frame.freshness,
      },
      primaryBeforeWrite: this.#primaryBeforeWrite(frame),
      primaryOutside: this.#primaryOutside(frame),
      maxLagMs: this.#options.maxReplicaLagMs,
      waited: false,
      failed: false,
      writes: this.#writeViews(this.#writes.of(frame), (tables) => tables.map(() => 'unknown')),
      nodes: this.#nodeViews([], this.#options.maxReplicaLagMs),
      seenBy: this.#seenViews(frame),
    });
    return verdict.target === 'replica' ? this.#toReplica(verdict) : true;
  }

  /** The decision on a statement about to be sent on `connection`, for whoever listens. */
  report(statement: Statement, connection: Connection, inTransaction: boolean): Decision {
    const { frame } = statement;
    const node = this.nodeOf(connection);
    const target: Target = node === PRIMARY ? 'primary' : 'replica';
    const verdict = inTransaction ? undefined : statement.verdict;
    const observing = verdict !== undefined && this.#options.routing === 'observe';
    const reason = observing ? 'observing' : reasonOf(verdict, target);
    const tables = this.#tablesOf(statement, target);
    const decision: Decision = {
      target,
      node,
      reason,
      tables,
      operation: frame.operation?.info,
      resolver: frame.resolver,
      resolvers: frame.batch?.resolvers ?? (frame.resolver === undefined ? [] : [frame.resolver]),
      writes:
        reason === 'table-written' || reason === 'tables-unknown'
          ? this.#deciding(frame, tables).map(toRecord)
          : [],
      waitedMs: statement.waitedMs,
    };
    if (!observing) return decision;
    return { ...decision, would: { target: verdict.target, reason: verdict.reason } };
  }

  nodeOf(connection: Connection): string {
    return this.#health?.nodeOf(connection) ?? this.#nodes.of(connection);
  }

  /** The tables the statement reads; `undefined` when they are not known. */
  tablesRead(statement: Statement): readonly string[] | undefined {
    const { tables, unknown } = this.#knowledge.reads(statement);
    return unknown ? undefined : tables;
  }

  #toReplica(verdict: Verdict, statement?: Statement): Route {
    const { replicas } = this.#nodes;
    const { eligible, reason } = verdict;
    const names =
      eligible.length === replicas.length
        ? replicas
        : eligible.flatMap((index) => replicas[index] ?? []);
    // Asked on the connection picked: queueing takes time, and a node may have been lost meanwhile.
    let recheck = this.#serves;
    if (statement && (reason === 'caught-up' || reason === 'waited')) {
      const entries = this.#touchedEntries(statement);
      recheck = (node) =>
        this.#serves(node) && entries.every((entry) => this.#writes.shownBy(node, entry));
    }
    const seen = statement && this.#sessions.seen(statement.frame.operation);
    const mark = seen?.mark;
    if (seen && mark && reason !== 'asked-replica') {
      const others = recheck;
      recheck = (node) => others(node) && this.#shows(node, seen, mark);
    }
    return Route.toReplica(names, { recheck, otherwise: this.#options.onNoReplica });
  }

  /** The replicas as they stand. Their lag is looked at only where a bound makes it matter. */
  #nodeViews(failedOn: readonly string[], boundMs: number | undefined): readonly NodeView[] {
    const at = boundMs === undefined ? 0 : now();
    const views = this.#nodes.replicas.map((name) => ({
      name,
      fit:
        this.#policy.serves(name) &&
        (this.#health?.usable(name) ?? true) &&
        // A second failure is enough: then it is the primary's turn.
        (failedOn.length === 0 || (failedOn.length === 1 && !failedOn.includes(name))),
      // What was last measured says nothing of what has come since: it counts from that moment on.
      lagMs: boundMs === undefined ? undefined : at - (this.#policy.lag(name)?.asOf ?? -Infinity),
    }));
    if (boundMs !== undefined && views.some(({ lagMs = 0 }) => lagMs > boundMs / 2)) {
      this.#policy.refresh();
    }
    return views;
  }

  #boundOf(wishes: Wishes): number | undefined {
    const bound = lagBound({ maxLagMs: this.#options.maxReplicaLagMs, wishes });
    return bound === Infinity ? undefined : bound;
  }

  #seenBy(statement: Statement): readonly boolean[] | undefined {
    statement.readsBefore = this.#sessions.seen(statement.frame.operation)?.reads ?? 0;
    return this.#seenViews(statement.frame);
  }

  /** For each node whether it shows all that the session has read, where that matters. */
  #seenViews({ operation }: Frame): readonly boolean[] | undefined {
    const seen = this.#sessions.seen(operation);
    const mark = seen?.mark;
    if (!mark) return undefined;
    return this.#nodes.replicas.map((node) => this.#shows(node, seen, mark));
  }

  #shows(node: string, seen: Seen, mark: CommitMark): boolean {
    return seen.isLast(this.#sessions.runOf(node)) || this.#policy.shows(node, mark);
  }

  #writeViews(
    entries: readonly TableEntry[],
    touched: (tables: readonly string[]) => readonly LiveWriteView['touched'][],
  ): readonly LiveWriteView[] {
    if (entries.length === 0) return NO_WRITES;
    const answers = touched(entries.map((entry) => entry.table));
    return entries.map((entry, index) => ({
      touched: answers[index] ?? 'unknown',
      shownBy: this.#nodes.replicas.map((name) => this.#writes.shownBy(name, entry)),
    }));
  }

  #touchedEntries(statement: Statement): TableEntry[] {
    const entries = this.#writes.of(statement.frame);
    const touched = this.#knowledge.touched(
      statement,
      entries.map((entry) => entry.table),
    );
    return entries.filter((_, index) => touched[index] !== 'no');
  }

  #deciding(frame: Frame, tables: readonly string[]): TableEntry[] {
    return this.#writes
      .of(frame)
      .filter(({ table }) => tables.length === 0 || table === EVERYTHING || tables.includes(table));
  }

  #primaryBeforeWrite({ operation }: Frame): boolean {
    return (
      this.#options.mutationReads === 'primary' &&
      operation?.info.kind === 'mutation' &&
      !this.#ledger.hasWritten(operation)
    );
  }

  /** Raw SQL has no type; any other one (SHOWTABLES, DESCRIBE ...) looks at the schema to change it. */
  #staysOnPrimary(options: StatementOptions): boolean {
    const type: string | undefined = options.type;
    if (type === undefined || type === RAW) return this.#options.rawReads === 'primary';
    return type !== SELECT;
  }

  #primaryOutside({ operation }: Frame): boolean {
    return operation === undefined && this.#options.outsideOperation === 'primary';
  }

  #tablesOf(statement: Statement, target: Target): readonly string[] {
    const reads = this.#knowledge.reads(statement).tables;
    const effect = this.#knowledge.effect(statement, target === 'replica');
    if (!effect) return reads;
    const written = [...effect.tables, ...effect.ignored].filter((table) => table !== EVERYTHING);
    return [...new Set([...written, ...reads])];
  }
}

function wishOf({ asked }: Frame): Target | undefined {
  return asked?.active ? asked.target : undefined;
}

function reasonOf(verdict: Verdict | undefined, target: Target): Reason {
  if (!verdict) return 'in-transaction';
  // It was on its way to a replica, and none of the eligible ones could take it.
  return verdict.target === 'replica' && target === 'primary' ? 'replica-failed' : verdict.reason;
}
