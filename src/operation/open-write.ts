import { toEpochMs } from '../clock';
import type { CommitMark, History, TableEntry, WriteRecord, Writer } from './history';
import { nextTime } from './logical-time';

/** The write of one statement, from just before it is sent until its outcome is known. */
export class OpenWrite {
  /** The tables that hold reads back. */
  readonly tables: readonly string[];
  readonly #histories: readonly History[];
  readonly #ignored: readonly string[];
  readonly #mark: () => CommitMark;
  readonly #ends: ((committed: boolean) => void)[] = [];
  #state: 'in-flight' | 'uncommitted' | 'ended' = 'in-flight';
  #answered = false;

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
      history.sent();
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

  /** The client will not see the outcome: it is in flight for the server, but nobody waits for it. */
  lose(): void {
    this.#answer();
  }

  /** The statement is done, its transaction is still open. */
  hold(): void {
    if (this.#state !== 'in-flight') return;
    this.#answer();
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
    this.#answer();
    // Also when nothing was written: a loader may have read the row inside the transaction.
    this.#touch();
    for (const fn of this.#ends) fn(mark !== undefined);
  }

  #answer(): void {
    if (this.#answered) return;
    this.#answered = true;
    for (const history of this.#histories) history.answered();
  }

  #touch(): void {
    const at = nextTime();
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
