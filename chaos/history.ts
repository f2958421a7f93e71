/** One row that versions are written to: `totals/17`. */
export type Register = string;

/**
 * What was seen of a register: its version, `null` where there was no row, `'torn'` where the rows of
 * one register disagreed.
 */
export type Seen = number | 'torn' | null;

/** Milliseconds since the epoch, for people and for faults: the order is that of the list. */
interface Timed {
  readonly at: number;
}

interface InProcess extends Timed {
  /** Each process has a history of its own in the order of its events. */
  readonly process: string;
}

/** An operation begins; with `session` it carries that session's tokens. */
export interface OperationBegun extends InProcess {
  readonly type: 'operation';
  readonly operation: string;
  readonly session?: string;
  /** It may never go back behind what it, or its session, has seen. */
  readonly monotonic?: boolean;
}

export interface OperationEnded extends InProcess {
  readonly type: 'ended';
  readonly operation: string;
}

/** An operation's token was taken: the session knows its writes (and what it has seen) from now on. */
export interface TokenTaken extends InProcess {
  readonly type: 'token';
  readonly operation: string;
  readonly session: string;
}

/** A statement that writes `version` is about to be sent. */
export interface WriteSent extends InProcess {
  readonly type: 'write';
  readonly id: string;
  readonly what: string;
  readonly operation?: string;
  readonly transaction?: string;
  readonly version: number;
  readonly sets: readonly Register[];
  /** The rows that it takes away. */
  readonly removes?: readonly Register[];
  /** Its commit is acknowledged before it is on disk: a crash soon after may undo it. */
  readonly lossy?: boolean | undefined;
}

/** A statement inside a transaction was answered: this transaction has to see it from now on. */
export interface WriteAnswered extends InProcess {
  readonly type: 'answered';
  readonly id: string;
}

/** `committed`: acknowledged. `aborted`: certainly undone. `unknown`: nobody saw how it ended. */
export interface WriteEnded extends InProcess {
  readonly type: 'written';
  readonly id: string;
  readonly outcome: 'committed' | 'aborted' | 'unknown';
  /** Why, where that was not meant to happen. */
  readonly error?: string;
}

export interface ReadSent extends InProcess {
  readonly type: 'read';
  readonly id: string;
  readonly what: string;
  readonly operation?: string;
  readonly transaction?: string;
  /** The registers that it will tell of. */
  readonly of: readonly Register[];
}

export interface ReadAnswered extends InProcess {
  readonly type: 'got';
  readonly id: string;
  readonly values: Readonly<Record<Register, Seen>>;
  /** Node and reason of each of its statements; empty when a loader's cache answered. */
  readonly by: readonly string[];
}

export interface ReadFailed extends InProcess {
  readonly type: 'failed';
  readonly id: string;
  readonly error: string;
  readonly by: readonly string[];
}

/** Something done to the cluster on purpose. */
export interface Fault extends Timed {
  readonly type: 'fault';
  readonly id: string;
  readonly node: string;
  readonly what: string;
  readonly state: 'begins' | 'ends';
}

/** What the primary holds after the run, with everything at rest. */
export interface FinalState extends Timed {
  readonly type: 'final';
  readonly values: Readonly<Record<Register, Seen>>;
}

/** What is recorded of a run, as plain data. */
export type HistoryEvent =
  | OperationBegun
  | OperationEnded
  | TokenTaken
  | WriteSent
  | WriteAnswered
  | WriteEnded
  | ReadSent
  | ReadAnswered
  | ReadFailed
  | Fault
  | FinalState;

/** The node that faults excuse errors of. */
export const PRIMARY = 'primary';
