import type { FreshnessPolicy } from '../freshness';
import {
  EVERYTHING,
  toRecord,
  type Frame,
  type Ledger,
  type Operation,
  type TableEntry,
} from '../operation';
import type { ResolvedOptions } from '../options';
import {
  decide,
  type Decision,
  type LiveWriteView,
  type NodeView,
  type Target,
  type Verdict,
} from '../routing';
import type { Connection, StatementOptions } from './internals';
import type { Knowledge } from './knowledge';
import { PRIMARY, type Nodes } from './nodes';
import { freshnessOf } from './query-options';
import type { Statement } from './statement';

const NO_WRITES: readonly LiveWriteView[] = Object.freeze([]);

/** Brings together who asks, what they ask and what is known of the nodes, and lets `decide` say. */
export class Router {
  readonly #options: ResolvedOptions;
  readonly #ledger: Ledger;
  readonly #policy: FreshnessPolicy;
  readonly #knowledge: Knowledge;
  readonly #nodes: Nodes;
  readonly #views: readonly NodeView[];

  constructor(parts: {
    options: ResolvedOptions;
    ledger: Ledger;
    policy: FreshnessPolicy;
    knowledge: Knowledge;
    nodes: Nodes;
  }) {
    this.#options = parts.options;
    this.#ledger = parts.ledger;
    this.#policy = parts.policy;
    this.#knowledge = parts.knowledge;
    this.#nodes = parts.nodes;
    this.#views = parts.nodes.replicas.map((name) => ({ name, fit: true, lagMs: undefined }));
  }

  /** Where a statement outside any transaction goes. */
  route(statement: Statement, options: StatementOptions): Verdict {
    const { frame } = statement;
    return decide({
      statement: this.#knowledge.view(statement),
      wishes: {
        transaction: undefined,
        useMaster: statement.useMaster === true || this.#staysRaw(options),
        query: freshnessOf(options),
        scope: frame.asked?.active ? frame.asked.target : undefined,
      },
      primaryBeforeWrite: this.#primaryBeforeWrite(frame),
      primaryOutside: this.#primaryOutside(frame),
      writes: this.#liveWrites(frame, (tables) => this.#knowledge.touched(statement, tables)),
      nodes: this.#views,
    });
  }

  /** Where a read-only transaction goes: it is one read of tables that nobody knows yet. */
  routeReadOnlyTransaction(frame: Frame): Verdict {
    return decide({
      statement: { nature: 'read', primaryOnly: false, feedsWrite: frame.feedsWrite },
      wishes: {
        transaction: undefined,
        useMaster: false,
        query: undefined,
        scope: frame.asked?.active ? frame.asked.target : undefined,
      },
      primaryBeforeWrite: this.#primaryBeforeWrite(frame),
      primaryOutside: this.#primaryOutside(frame),
      writes: this.#liveWrites(frame, (tables) => tables.map(() => 'unknown')),
      nodes: this.#views,
    });
  }

  /** The decision on a statement about to be sent on `connection`, for whoever listens. */
  report(statement: Statement, connection: Connection, inTransaction: boolean): Decision {
    const { frame } = statement;
    const node = this.#nodes.of(connection);
    const target: Target = node === PRIMARY ? 'primary' : 'replica';
    const verdict = inTransaction ? undefined : statement.verdict;
    const observing = verdict !== undefined && this.#options.routing === 'observe';
    const reason = observing ? 'observing' : (verdict?.reason ?? 'in-transaction');
    const tables = this.#tablesOf(statement);
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
      waitedMs: 0,
    };
    if (!observing) return decision;
    return { ...decision, would: { target: verdict.target, reason: verdict.reason } };
  }

  /** The tables the statement reads; `undefined` when they are not known. */
  tablesRead(statement: Statement): readonly string[] | undefined {
    const { tables, unknown } = this.#knowledge.reads(statement);
    return unknown ? undefined : tables;
  }

  /** The live writes of `operation` itself. */
  ownEntries(operation: Operation): TableEntry[] {
    this.#prune(operation);
    return [...(this.#ledger.peek(operation)?.entries() ?? [])];
  }

  /** The live writes of this process. */
  processEntries(): TableEntry[] {
    this.#prune(undefined);
    return [...this.#ledger.process.entries()];
  }

  /** The live writes that count for the code in `frame`, one entry a table and scope. */
  #liveEntries(frame: Frame): TableEntry[] {
    if (this.#ledger.process.size === 0) return [];
    this.#prune(frame.operation);
    return [...this.#ledger.scopes(frame.operation)].flatMap((history) => [...history.entries()]);
  }

  #prune(operation: Operation | undefined): void {
    this.#ledger.prune(operation, (mark) =>
      this.#nodes.all((node) => this.#policy.shows(node, mark)),
    );
  }

  #liveWrites(
    frame: Frame,
    touched: (tables: readonly string[]) => readonly LiveWriteView['touched'][],
  ): readonly LiveWriteView[] {
    const entries = this.#liveEntries(frame);
    if (entries.length === 0) return NO_WRITES;
    const answers = touched(entries.map((entry) => entry.table));
    return entries.map((entry, index) => ({
      touched: answers[index] ?? 'unknown',
      shownBy: this.#views.map(({ name }) => this.#shows(name, entry)),
    }));
  }

  #shows(node: string, entry: TableEntry): boolean {
    if (entry.inFlight > 0 || entry.uncommitted > 0) return false;
    return entry.newest === undefined || this.#policy.shows(node, entry.newest);
  }

  #deciding(frame: Frame, tables: readonly string[]): TableEntry[] {
    return this.#liveEntries(frame).filter(
      ({ table }) => tables.length === 0 || table === EVERYTHING || tables.includes(table),
    );
  }

  #primaryBeforeWrite({ operation }: Frame): boolean {
    return (
      this.#options.mutationReads === 'primary' &&
      operation?.info.kind === 'mutation' &&
      !this.#ledger.hasWritten(operation)
    );
  }

  #staysRaw(options: StatementOptions): boolean {
    return this.#options.rawReads === 'primary' && options.type !== 'SELECT';
  }

  #primaryOutside({ operation }: Frame): boolean {
    return operation === undefined && this.#options.outsideOperation === 'primary';
  }

  #tablesOf(statement: Statement): readonly string[] {
    const reads = this.#knowledge.reads(statement).tables;
    const effect = this.#knowledge.effect(statement);
    if (!effect) return reads;
    const written = [...effect.tables, ...effect.ignored].filter((table) => table !== EVERYTHING);
    return [...new Set([...written, ...reads])];
  }
}
