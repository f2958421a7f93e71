/**
 * No guess: a write has expired on a replica once the replica is seen to show it, by positions in
 * the write-ahead log. Probes run only while writes are on their way.
 */
export interface ProvenFreshness {
  readonly mode: 'proven';
  /**
   * How long a read may wait for a replica to show what its caller wrote, rather than load the
   * primary, in milliseconds. Default 0: not at all.
   */
  readonly catchUpWaitMs?: number;
  /** Least time between two probes of the primary, in milliseconds. Default 10. */
  readonly probeIntervalMs?: number;
  /**
   * Proves by a row in a table of our own instead, where the functions for positions are refused or
   * mean nothing (a pooling service, some managed databases). The table is created when missing.
   * Default: positions.
   */
  readonly heartbeat?: { readonly table: string };
}

/** Trusts that no replica is further behind than `windowMs` (the classic p99.9 of the lag). */
export interface FixedFreshness {
  readonly mode: 'fixed';
  /** Milliseconds after a commit's acknowledgement. Default 1000. */
  readonly windowMs?: number;
}

/** Trusts that a replica will be no further behind than it was lately. */
export interface MeasuredFreshness {
  readonly mode: 'measured';
  /** Which percentile of the lag seen lately makes the window. Default 99.9. */
  readonly percentile?: number;
  /** The window is never shorter, in milliseconds. Default 100. */
  readonly floorMs?: number;
  /** The window is never longer, in milliseconds, and it is this until enough was seen. Default 10000. */
  readonly ceilingMs?: number;
  /** Least time between two probes of the primary, in milliseconds. Default 10. */
  readonly probeIntervalMs?: number;
  /** As for `proven`. */
  readonly heartbeat?: { readonly table: string };
}

/** Anything that logs like `console`. Only changes of state are logged, never each query. */
export interface Logger {
  warn(message: string): void;
}

/** Options of {@link freshReads}. Every one has a default; unknown ones throw an `OptionsError`. */
export interface FreshReadsOptions {
  /**
   * When a write has expired, so that reads of its tables may go to replicas again.
   *
   * Default `{ mode: 'proven' }`.
   */
  readonly freshness?: ProvenFreshness | FixedFreshness | MeasuredFreshness;
  /**
   * Reads with no operation around them: `'process-history'` counts every live write of this
   * process, `'primary'` sends them all to the primary.
   *
   * Default `'process-history'`.
   */
  readonly outsideOperation?: 'process-history' | 'primary';
  /**
   * Reads of a mutation before its first write: `'track'` treats them like any other,
   * `'primary'` sends them to the primary.
   *
   * Default `'track'`.
   */
  readonly mutationReads?: 'track' | 'primary';
  /**
   * Tables (`'audit_logs'`, or `'schema.table'`) whose writes hold no read back. Loaders are still
   * cleared by them, and what their triggers write still counts.
   *
   * Default none.
   */
  readonly ignoreWrites?: readonly string[];
  /**
   * What a write of a table also changes, where the database can't tell (a trigger that builds its
   * SQL at run time): `{ orders: ['order_totals'] }`. Replaces "everything" for that table.
   *
   * Default none.
   */
  readonly relatedTables?: Readonly<Record<string, readonly string[]>>;
  /**
   * Raw SQL without a query type, which Sequelize sends to the primary: `'route'` lets it use a
   * replica when its text proves it a read, `'primary'` leaves it there.
   *
   * Default `'route'`.
   */
  readonly rawReads?: 'route' | 'primary';
  /**
   * When no replica can take a read: `'primary'` lets the primary take it, `'error'` throws a
   * `ReplicasUnavailableError`.
   *
   * Default `'primary'`.
   */
  readonly onNoReplica?: 'primary' | 'error';
  /**
   * Most reads at a time that the primary takes over because no replica can; one more throws a
   * `ReplicasUnavailableError`, so that losing the replicas does not take the primary along.
   *
   * Default: no limit.
   */
  readonly maxPrimaryFallback?: number;
  /**
   * Replicas that are not known to be this near, in milliseconds, serve no read at all. After a rest
   * nothing is known: a read then waits for the probes to find out, 50 ms at most and the bound at
   * most. With the fixed policy it is never known.
   *
   * Default: no bound.
   */
  readonly maxReplicaLagMs?: number;
  /** How long a connect to a replica may take, in milliseconds. Default 3000. */
  readonly replicaConnectTimeoutMs?: number;
  /**
   * How long a replica may be silent while a read waits for it, in milliseconds, before it is found
   * out whether it is still there. Default 2000.
   */
  readonly replicaTimeoutMs?: number;
  /**
   * Which writes of an operation count for its reads: `'operation'` all of them, `'resolver'` only
   * those made under the same top-level GraphQL field and under top-level fields that were over
   * before that one began (and those made under no field). `'resolver'` is for services whose side
   * writes, such as "last seen", must not hold the other fields of the query back; it is wrong where
   * fields of one query rely on each other's writes.
   *
   * Default `'operation'`.
   */
  readonly historyScope?: 'operation' | 'resolver';
  /**
   * Signs session tokens, which carry the live writes of an operation to the same client's next one.
   * A long random string that all processes share; with several the first one signs, and the others
   * are still honoured. One of fewer than 16 characters is warned of, and so is `undefined` (an
   * environment variable that is not set).
   *
   * Default: none, no session tokens.
   */
  readonly sessionSecret?: string | readonly [string, ...string[]] | undefined;
  /**
   * A session never reads what is older than what it has read before: a node answers only when it
   * shows all of that. Costs probes while operations read, and reads on the primary while replicas
   * are behind. Goes from one operation to the next by session tokens.
   *
   * Default false.
   */
  readonly monotonicReads?: boolean;
  /**
   * `'observe'` decides and reports, and leaves every statement where Sequelize sends it.
   *
   * Default `'enforce'`.
   */
  readonly routing?: 'enforce' | 'observe';
  /** Where warnings go. Default: nowhere (they are in `status().warnings` all the same). */
  readonly logger?: Logger;
}
