import type { FreshnessMode } from './freshness';
import type { OperationKind, WriteRecord } from './operation';
import type { Decision } from './routing';
import type { TokenCounts } from './token-reader';
import type { ReplicaConfig } from './sequelize';

/** What `runOperation` is told about the operation. */
export interface OperationOptions {
  /** Default: none. */
  readonly name?: string;
  /** What `mutationReads` looks at: it is about operations of the kind `'mutation'`. Default `'job'`. */
  readonly kind?: OperationKind;
  /** An id of your own, such as the request id that your logs carry. Default: one made here. */
  readonly id?: string;
  /**
   * What `token()` gave to the same client's earlier operations: their live writes count as this
   * one's own. Several are merged. What is not signed with `sessionSecret` is ignored. `null` (from
   * a column of a jobs table, say) is no token.
   */
  readonly token?: string | readonly string[] | null | undefined;
}

/** A table by name, by schema and name, or by its Sequelize model. */
export type TableLike =
  | string
  | { readonly schema?: string; readonly table: string }
  | { getTableName(): string | { readonly tableName: string; readonly schema?: string } };

/** Ends a subscription; usable with `using`. */
export interface Disposable {
  /** Ends it: nothing is called any more. Idempotent, never throws. */
  dispose(): void;
  /** The same. */
  [Symbol.dispose](): void;
}

/** One node, as this process knows it. */
export interface NodeStatus {
  readonly name: string;
  readonly role: 'primary' | 'replica';
  /** `suspect`: being tried again. Always `up` for the primary, and with `routing: 'observe'`. */
  readonly health: 'up' | 'suspect' | 'down';
  /**
   * Whether it may serve reads: up, and known to be no further behind than what was let expire. Bounds on
   * the lag (`maxReplicaLagMs`, `maxLagMs`) are held against `lagMs` read by read, and not counted here.
   */
  readonly serves: boolean;
  /** How far a replica was behind when that was last measured, in milliseconds, if it ever was. */
  readonly lagMs: number | undefined;
  /** The same in bytes of write-ahead log. */
  readonly lagBytes: number | undefined;
}

/** A look at a handle, for logs and health pages: plain data, fit for JSON. Holds no SQL and no values. */
export interface Status {
  readonly freshness: FreshnessMode;
  readonly routing: 'enforce' | 'observe';
  /** False when the instance has no `replication`: then nothing is routed. */
  readonly replicated: boolean;
  readonly nodes: readonly NodeStatus[];
  /** The live writes of this process. */
  readonly liveWrites: readonly WriteRecord[];
  /** Each said once, oldest first; the newest thousand. */
  readonly warnings: readonly string[];
  /** What became of the session tokens that were brought. */
  readonly tokens: TokenCounts;
  /** Statements with no operation around them, which `outsideOperation` speaks of. */
  readonly outsideOperation: { readonly reads: number; readonly writes: number };
  readonly closed: boolean;
}

/** What `freshReads(sequelize)` gives: one handle an instance. */
export interface FreshReads {
  /**
   * Resolves once the database's catalog has been read. Before that every write counts as a write to
   * every table, so nothing is stale meanwhile; reading begins by itself with the first statement.
   * After a change of the catalog by this process (`sequelize.sync()`) it resolves once that has been
   * read as well. Resolves on a closed handle too, which has no use for it.
   *
   * @throws the database's error when the catalog can't be read
   */
  ready(): Promise<void>;
  /**
   * Takes the router off the instance: later calls pass through to Sequelize. Also run by
   * `sequelize.close()`. Idempotent, never rejects.
   */
  close(): Promise<void>;
  /**
   * Runs `fn` as one operation: its reads see its own writes. Inside another operation it becomes
   * part of that one.
   *
   * @throws OptionsError for an unknown option or kind, and for a token without `sessionSecret`
   */
  runOperation<T>(options: OperationOptions, fn: () => T): Promise<Awaited<T>>;
  /**
   * Runs `fn` with its reads on the primary, until the promise it returns settles.
   *
   * @throws OptionsError when `fn` is no function
   */
  usePrimary<T>(fn: () => T): T;
  /**
   * Runs `fn` with its reads on replicas, however old they are, until the promise it returns
   * settles. Statements that are not plain reads still go to the primary.
   *
   * @throws OptionsError when `fn` is no function
   */
  useReplica<T>(fn: () => T): T;
  /**
   * Records tables as written and committed now, for writes that this package can't see (another
   * service, a driver used by hand). Outside an operation they go to the process history.
   *
   * @throws OptionsError for anything that names no table
   */
  markWritten(tables: readonly TableLike[]): void;
  /**
   * Gives `fn` the operation, resolver and wishes of the code that calls this, for callbacks that
   * run in another context: emitters, queues, batchers.
   *
   * @throws OptionsError when `fn` is no function
   */
  bindOperation<Args extends unknown[], Result>(
    fn: (...args: Args) => Result,
  ): (...args: Args) => Result;
  /**
   * A signed token that carries the live writes of the current operation to the same client's next
   * one, in this process or another. `undefined` when nothing is live, and outside an operation.
   * Waits for the operation's writes that are under way, five seconds at most.
   *
   * @throws OptionsError without the option `sessionSecret`
   */
  token(): Promise<string | undefined>;
  /** The live writes of the current operation, one record a table; `[]` outside an operation. */
  history(): readonly WriteRecord[];
  /**
   * Takes a replica in while the instance is at work: `{ host: 'replica-c' }`, as an entry of
   * `replication.read`, which inherits from the instance what it leaves out. It serves once it is
   * known to show what is no longer live. Opens no connection by itself.
   *
   * @returns the node's name
   * @throws OptionsError for a name that is taken or an entry that can't be one, without
   *   `replication`, with `routing: 'observe'`, and on a closed handle
   */
  addReplica(config: ReplicaConfig): string;
  /**
   * Takes a replica out: no read is sent there any more, those that run there finish. Resolves once
   * its connections are closed; until then its name stays taken. Without any replica left, reads go
   * where `onNoReplica` says.
   *
   * @throws OptionsError for a name that no replica in use has, without `replication`, with
   *   `routing: 'observe'`, and on a closed handle
   */
  removeReplica(name: string): Promise<void>;
  /** What this handle is doing. */
  status(): Status;
  /**
   * Reads the database's catalog anew: after a migration made by another process, if you don't want
   * to wait the few seconds until it is noticed.
   *
   * @throws the database's error when the catalog can't be read
   */
  refreshCatalog(): Promise<void>;
  /**
   * Calls `fn` with every decision, in the operation that it is about. A listener that throws is
   * reported once (as a warning) and disturbs nothing.
   *
   * @throws OptionsError when `fn` is no function
   */
  onDecision(fn: (decision: Decision) => void): Disposable;
}
