import type { OperationInfo, WriteRecord } from '../operation';

export type Target = 'primary' | 'replica';

/**
 * Why a statement went where it went. The set is closed and the same in code, events and docs.
 *
 * Replica: `no-live-writes` (nothing this caller wrote is still on its way), `tables-untouched`
 * (live writes, but to other tables), `caught-up` (the node has the writes), `waited` (the node has
 * them after a short wait).
 *
 * Primary: `table-written`, `tables-unknown` (the text does not show what it reads, or a live write
 * what it wrote), `not-a-read`, `feeds-a-write`, `locking-read`, `mutation-read`,
 * `primary-only-relation`, `no-replica-fit`, `replica-failed`, `too-far-behind`.
 *
 * Either: `in-transaction`, `asked-primary`, `asked-replica`, `observing`.
 */
export type Reason =
  | 'no-live-writes'
  | 'tables-untouched'
  | 'caught-up'
  | 'waited'
  | 'table-written'
  | 'tables-unknown'
  | 'not-a-read'
  | 'feeds-a-write'
  | 'locking-read'
  | 'mutation-read'
  | 'primary-only-relation'
  | 'no-replica-fit'
  | 'replica-failed'
  | 'too-far-behind'
  | 'in-transaction'
  | 'asked-primary'
  | 'asked-replica'
  | 'observing';

/** Where one statement, or one loader's batch, was sent and why. Plain data, fit for JSON. */
export interface Decision {
  readonly target: Target;
  /** `primary`, or the replica's name (`replica1`, ... unless the configuration names it). */
  readonly node: string;
  readonly reason: Reason;
  /** The tables it reads or writes; empty when the text does not show them. */
  readonly tables: readonly string[];
  /** `undefined` for a statement with no operation around it. */
  readonly operation: OperationInfo | undefined;
  /** The field resolver that asked (of a batch: the first one), such as `Query.posts`. */
  readonly resolver: string | undefined;
  /** Every resolver that asked: several for a loader's batch. */
  readonly resolvers: readonly string[];
  /** The live writes that decided it; empty unless they sent it to the primary. */
  readonly writes: readonly WriteRecord[];
  /** How long the statement was held back for a replica to catch up, in milliseconds. */
  readonly waitedMs: number;
  /** With `routing: 'observe'`: what would have been done. */
  readonly would?: { readonly target: Target; readonly reason: Reason };
}
