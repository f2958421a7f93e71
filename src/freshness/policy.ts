import type { CommitMark } from '../operation';

/**
 * The rule that says when a live write has expired on a replica. One object a handle; a new policy
 * is a new implementation of this, and touches no other room.
 */
export interface FreshnessPolicy {
  readonly mode: FreshnessMode;
  /** A commit was acknowledged by the primary. */
  committed(mark: CommitMark): void;
  /** Whether `node` shows the commit of `mark`, and every earlier one. Must be monotonic in `mark`. */
  shows(node: string, mark: CommitMark): boolean;
  /** Ends whatever runs in the background. */
  close(): void;
}

export type FreshnessMode = 'fixed';
