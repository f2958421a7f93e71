import { now, toEpochMs } from '../clock';
import {
  History,
  type CommitMark,
  type TableEntry,
  type WriteRecord,
  type Writer,
} from './history';
import type { Operation } from './operation';

// Logical time of this process, over all handles: time stamps tie, numbers don't.
let sequence = 0;

/** The logical time: grows with every mark and every commit in this process. */
export function logicalTime(): number {
  return sequence;
}

/**
 * The books of one handle: the history of every operation, of the process, and of the writes that
 * had no operation around them (a batcher, a queue or an emitter lost the context: they might be
 * anybody's, so every operation counts them).
 */
export class Ledger {
  readonly process = new History();
  readonly orphans = new History();
  readonly #onCommit: (mark: CommitMark) => void;

  constructor(onCommit: (mark: CommitMark) => void) {
    this.#onCommit = onCommit;
  }

  /** The history of `operation`, if it has written anything through this handle. */
  peek(operation: Operation): History | undefined {
    return operation.peek(this) as History | undefined;
  }

  /** Whether `operation`, or one it follows, has a live write or had one. */
  hasWritten(operation: Operation): boolean {
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      if (op.peek(this) !== undefined) return true;
    }
    return false;
  }

  /** The histories whose live writes count for `operation`, or for code outside any operation. */
  *scopes(operation: Operation | undefined): IterableIterator<History> {
    if (!operation) {
      yield this.process;
      return;
    }
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      const history = this.peek(op);
      if (history) yield history;
    }
    yield this.orphans;
  }

  /**
   * Whether one of `tables` (any table when they are not known) was written after the logical time
   * `asOf` by `operation`, by one it follows, or with no operation around it. What a loader read
   * before that is a thing of the past.
   */
  touchedSince(asOf: number, tables: readonly string[] | undefined, operation: Operation): boolean {
    if (this.orphans.touchedSince(asOf, tables)) return true;
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      if (this.peek(op)?.touchedSince(asOf, tables)) return true;
    }
    return false;
  }

  /**
   * Marks `tables` as being written, before the statement is sent.
   * `ignored` tables are written too, but hold no read back: only their epochs end.
   */
  open(
    tables: readonly string[],
    ignored: readonly string[],
    operation: Operation | undefined,
    resolver: string | undefined,
  ): OpenWrite {
    const histories = [this.process];
    histories.push(operation ? operation.state(this, () => new History()) : this.orphans);
    const writer = { operation: operation?.info, resolver };
    return new OpenWrite(histories, tables, ignored, writer, () => this.#number());
  }

  /** Forgets the writes that every node in use is known to have. */
  prune(operation: Operation | undefined, expired: (mark: CommitMark) => boolean): void {
    if (this.process.size > 0) this.process.prune(expired);
    if (this.orphans.size > 0) this.orphans.prune(expired);
    for (let op = operation; op; op = op.follows) this.peek(op)?.prune(expired);
  }

  /** Numbers a commit whose acknowledgement has just arrived. */
  #number(): CommitMark {
    const mark = { seq: ++sequence, at: now() };
    this.#onCommit(mark);
    return mark;
  }
}

/** The write of one statement, from just before it is sent until its outcome is known. */
export class OpenWrite {
  /** The tables that hold reads back. */
  readonly tables: readonly string[];
  readonly #histories: readonly History[];
  readonly #ignored: readonly string[];
  readonly #mark: () => CommitMark;
  readonly #ends: ((committed: boolean) => void)[] = [];
  #state: 'in-flight' | 'uncommitted' | 'ended' = 'in-flight';

  constructor(
    histories: readonly History[],
    tables: readonly string[],
    ignored: readonly string[],
    writer: Writer,
    mark: () => CommitMark,
  ) {
    this.#histories = histories;
    this.tables = tables;
    this.#ignored = ignored;
    this.#mark = mark;
    for (const history of histories) {
      for (const table of tables) history.begin(table, writer);
    }
    this.#touch();
  }

  get state(): 'in-flight' | 'uncommitted' | 'ended' {
    return this.#state;
  }

  /** Calls `fn` once the outcome is known. */
  onEnd(fn: (committed: boolean) => void): void {
    this.#ends.push(fn);
  }

  /** The statement is done, its transaction is still open. */
  hold(): void {
    if (this.#state !== 'in-flight') return;
    this.#state = 'uncommitted';
    for (const history of this.#histories) {
      for (const table of this.tables) history.hold(table);
    }
  }

  /** The commit was acknowledged (or has to be assumed). */
  commit(): void {
    if (this.#state !== 'ended') this.#end(this.#mark());
  }

  /** Nothing was written: rolled back, or never sent. */
  drop(): void {
    this.#end(undefined);
  }

  #end(mark: CommitMark | undefined): void {
    if (this.#state === 'ended') return;
    for (const history of this.#histories) {
      for (const table of this.tables) history.end(table, this.#state, mark);
    }
    this.#state = 'ended';
    // Also when nothing was written: a loader may have read the row inside the transaction.
    this.#touch();
    for (const fn of this.#ends) fn(mark !== undefined);
  }

  #touch(): void {
    const at = ++sequence;
    for (const history of this.#histories) {
      for (const table of this.tables) history.touch(table, at);
      for (const table of this.#ignored) history.touch(table, at);
    }
  }
}

/** An entry as the public record of it. */
export function toRecord(entry: TableEntry): WriteRecord {
  return {
    table: entry.table,
    state: entry.inFlight > 0 ? 'in-flight' : entry.uncommitted > 0 ? 'uncommitted' : 'committed',
    operation: entry.writer.operation,
    resolver: entry.writer.resolver,
    committedAtMs: entry.newest && toEpochMs(entry.newest.at),
  };
}
