import type { CommitMark, Proof } from '../operation';

/** One connection of a node, to ask it who and where it is. */
export interface NodeConnection {
  /**
   * The server process the connection was told it has (`processID` of a `pg` client). When the
   * process that answers is another one, a proxy stands between. `undefined`: not checked.
   */
  readonly processId?: number | null;
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/**
 * The rule that says when a live write has expired on a replica. One object a handle; a new policy
 * is a new implementation of this, and touches no other room. Nodes go by their names.
 */
export interface FreshnessPolicy {
  readonly mode: FreshnessMode;
  /** A commit was acknowledged by the primary. */
  committed(mark: CommitMark): void;
  /**
   * Whether `node` is known to show the commit of `mark`, and every earlier one. Monotonic in
   * `mark`, and over time as long as the node is not {@link lost}.
   */
  shows(node: string, mark: CommitMark): boolean;
  /**
   * Whether the commit of `mark` may be forgotten: every replica in use shows it, and none that
   * does not will be used. Once true it stays true. False while no replica is in use.
   */
  expired(mark: CommitMark): boolean;
  /**
   * Whether `node` may serve reads at all, those with no live write included: it is the replica of
   * our primary, and not known (or feared) to be behind what was already let expire.
   */
  serves(node: string): boolean;
  /**
   * A new connection to `node` (the primary too), before it serves anything: false when it must not,
   * because the node behind it is another one, or shows less than what was already let expire. A
   * pool closes it then. Bounded in time, never rejects.
   */
  admit(node: string, connection: NodeConnection): Promise<boolean>;
  /**
   * A connection of `node` was lost (not closed by us): what was known of the node is void, and the
   * pool drops the other connections it has of it, since they are of the time before.
   */
  lost(node: string): void;
  /**
   * Resolves with true as soon as one of `nodes` shows the commit of `mark`, with false after
   * `timeoutMs`. Woken by what the policy learns, not by a clock of its own.
   */
  waitUntilShown(nodes: readonly string[], mark: CommitMark, timeoutMs: number): Promise<boolean>;
  /**
   * Finds out how far `nodes` are, and resolves with true as soon as one of them is known to show all
   * that was acknowledged by `asOf` (monotonic milliseconds); with false after `timeoutMs`, and at once
   * where nothing is known of lag, or what is on its way to them takes longer than that already.
   */
  waitUntilAsOf(nodes: readonly string[], asOf: number, timeoutMs: number): Promise<boolean>;
  /** How far `node` is behind, at most; `undefined` when that is not known. Never grows on an idle primary. */
  lag(node: string): Lag | undefined;
  /**
   * A place in the log at or past the commit of `mark`, for other processes to go by. `undefined`
   * where there is none (yet).
   */
  proofOf(mark: CommitMark): Proof | undefined;
  /**
   * Resolves once {@link proofOf} gives a place, at once where it never will, or after `timeoutMs`.
   */
  whenPlaced(mark: CommitMark, timeoutMs: number): Promise<void>;
  /** The log that is written now; `undefined` where that is not known, or not looked at. */
  place(): LogPlace | undefined;
  /**
   * Whether every replica shows the commit of `mark`, also those that are out of use here: other
   * processes may use them.
   */
  isEverywhere(mark: CommitMark): boolean;
  /**
   * Grows whenever `node` may show less than it did before; `NaN` where several servers share the
   * name, so that no two reads are known to be of the same one.
   */
  run(node: string): number;
  /** Finds out anew how far the replicas are, also when nothing is on its way. Cheap to call often. */
  refresh(): void;
  /** A replica joins. It serves once it is known to show whatever was let expire. */
  addNode(node: string): void;
  /** A replica is gone for good. Resolves once its probe is; never rejects. */
  removeNode(node: string): Promise<void>;
  /** `node` serves reads. Told now and then, so that it can be found out whether it still may. */
  inUse(node: string): void;
  /** Ends whatever runs in the background. Idempotent, never rejects. */
  close(): Promise<void>;
}

/** Which log a position belongs to. */
export type LogPlace = Pick<Proof, 'system' | 'timeline'>;

/** How far a replica is behind its primary. */
export interface Lag {
  readonly ms: number;
  /** It shows everything that was acknowledged by then (monotonic milliseconds), and perhaps more. */
  readonly asOf: number;
  /** Write-ahead log not yet replayed; `undefined` where positions are not looked at. */
  readonly bytes: bigint | undefined;
}

export type FreshnessMode = 'fixed' | 'measured' | 'proven';
