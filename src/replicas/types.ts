/** Sizes and times of one pool, with the names and meaning that Sequelize gives them; times in milliseconds. */
export interface PoolSettings {
  readonly max: number;
  readonly min: number;
  /** How long a connection may lie unused before it is closed. */
  readonly idle: number;
  /** How long a caller waits for a connection before it is turned away. */
  readonly acquire: number;
  /** How often idle connections are looked for. */
  readonly evict: number;
  /** Uses after which a connection is replaced by a new one. Default: no limit. */
  readonly maxUses?: number;
}

/** A node, and how to reach it. */
export interface NodeSpec<C extends object> {
  readonly name: string;
  /** `timeoutMs`: after that long the attempt is given up (only told for replicas). */
  readonly connect: (timeoutMs?: number) => Promise<C>;
  /** Closes in an orderly way; may take for ever when the node does not answer. */
  readonly disconnect: (connection: C) => Promise<void>;
  /** Drops the connection without waiting for anybody. What runs on it fails. */
  readonly sever: (connection: C) => void;
  /** Whether the connection still works, as far as its own end can tell. */
  readonly validate: (connection: C) => boolean;
  /** Holds for this node alone; the primary has two pools of this size. */
  readonly pool: PoolSettings;
  /** Its share of the reads beside other replicas. Default 1. */
  readonly weight?: number;
}

/** `'primary'`: the node behind a replica's address is the primary itself. */
export type Admission = boolean | 'primary';

export interface NodeHooks<C extends object> {
  /**
   * A new connection, the primary's too, before it serves anything. When the answer is `false` it is
   * closed; a replica that is not admitted, or is the primary itself, is out of use until a later
   * connection is admitted.
   */
  readonly admit: (node: string, connection: C) => Promise<Admission>;
  /**
   * A connection of the node was lost (not closed by us), or a replica has stopped answering: what
   * was known of the node may not hold any more. Its other connections are closed as well.
   */
  readonly lost: (node: string) => void;
  /** A replica has served a statement: told with the first one, then at most once a second. */
  readonly inUse?: (node: string) => void;
}

export interface NodePoolsOptions {
  /** How long a connect to a replica may take, until it is admitted, in milliseconds. Default 3000. */
  readonly connectTimeoutMs?: number;
  /**
   * How long a replica may be silent while a read waits for it, in milliseconds, before one connect
   * finds out whether it is still there. Default 2000.
   */
  readonly replicaTimeoutMs?: number;
  /** Reads at a time that the primary takes over because no replica is fit. Default: no limit. */
  readonly maxPrimaryFallback?: number;
}

/** Why a replica is not in use. */
export type Trouble =
  'connection-lost' | 'connect-failed' | 'no-answer' | 'not-admitted' | 'is-primary';

/** Why one replica did not get a read. */
export interface ReadRefusal {
  readonly node: string;
  /** `'unknown-node'`: removed meanwhile. `'not-eligible'`: not fit any more once a connection was free. */
  readonly because: Trouble | 'unknown-node' | 'not-eligible';
  /** What the connect failed with, where that was the cause. */
  readonly error?: unknown;
}

/** A read that wants a connection of a replica. */
export interface ReadRequest<C extends object> {
  /** Names of the replicas that may serve the read. */
  readonly eligible: readonly string[];
  /**
   * Asked once a connection is in hand, after any waiting: is the node still eligible? Default: yes.
   */
  readonly recheck?: ((node: string, connection: C) => boolean) | undefined;
  /** The answer: the replica that serves it. */
  node?: string | undefined;
}

/** No eligible replica could take a read. */
export class NoReplicaLeft extends Error {
  constructor(readonly refusals: readonly ReadRefusal[]) {
    super(refusals.map(({ node, because }) => `${node}: ${because}`).join(', '));
  }
}

/** A clock with its timers, so that tests can turn it by hand. */
export interface Timers {
  now(): number;
  later(ms: number, fn: () => void): { cancel(): void };
}
