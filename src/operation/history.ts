import { now } from '../clock';
import type { OperationInfo } from './operation';

/** A commit's place in this process's order of commits: acknowledged `at`, numbered `seq`. */
export interface CommitMark {
  /** Logical time: later commits have higher numbers. */
  readonly seq: number;
  /** Monotonic milliseconds at which the acknowledgement arrived. */
  readonly at: number;
  /** Brought in by a session token: a place in the log at or past the commit. */
  readonly proof?: Proof | undefined;
  /** Not a commit made here, but what an earlier operation has written, or a session has seen. */
  readonly ofSession?: true;
}

/** A place in the write-ahead log that any process can hold a replica against. */
export interface Proof {
  /** The cluster it belongs to: PostgreSQL's system identifier. */
  readonly system: string;
  readonly timeline: number;
  readonly position: bigint;
}

/** The place that covers both; `undefined` where one is not known, or they are in two logs. */
export function furthest(a: Proof | undefined, b: Proof | undefined): Proof | undefined {
  if (!a || a.system !== b?.system || a.timeline !== b.timeline) return undefined;
  return a.position > b.position ? a : b;
}

/** The table name of a record that stands for every table (the write's tables are not known). */
export const EVERYTHING = '*';

export type WriteState = 'in-flight' | 'uncommitted' | 'committed';

/** One table written by one operation: who, when, in which state. Plain data, fit for JSON. */
export interface WriteRecord {
  /** `users`, or `schema.users` outside the default schema; `*` when the tables are not known. */
  readonly table: string;
  readonly state: WriteState;
  /** The operation that wrote; `undefined` for a write with no operation around it. */
  readonly operation: OperationInfo | undefined;
  /** The field resolver that wrote, such as `Mutation.createPost`. */
  readonly resolver: string | undefined;
  /** Milliseconds since the epoch of the newest acknowledged commit; `undefined` before it. */
  readonly committedAtMs: number | undefined;
}

/** Who made a write. */
export interface Writer {
  readonly operation: OperationInfo | undefined;
  readonly resolver: string | undefined;
}

/** All that one scope knows of one table. Counts, so that overlapping writes don't end each other. */
export interface TableEntry {
  readonly table: string;
  inFlight: number;
  uncommitted: number;
  /** Monotonic milliseconds at which the last of these was sent. */
  openSince: number;
  /** The newest commit: a later one never shortens an earlier one, since expiry follows `seq`. */
  newest: CommitMark | undefined;
  writer: Writer;
}

/** The live writes of one scope (an operation, or the process), one entry a table: it does not grow. */
export class History {
  readonly #entries = new Map<string, TableEntry>();
  readonly #touches = new Map<string, number>();
  #lastTouch = 0;
  readonly #settled = new Map<string, CommitMark>();
  #underWay = 0;
  /** Grows whenever a table is added or removed: what is worked out from the list of tables hangs on it. */
  version = 0;
  #written = false;
  #idle: (() => void)[] = [];

  get size(): number {
    return this.#entries.size;
  }

  /** Whether anything was written here, also when it has expired since. */
  get written(): boolean {
    return this.#written;
  }

  entries(): IterableIterator<TableEntry> {
    return this.#entries.values();
  }

  get(table: string): TableEntry | undefined {
    return this.#entries.get(table);
  }

  /**
   * Whether any of `tables` (every table when they are not known) was written, or such a write came
   * to its end, after `asOf`. Unlike the entries this outlives expiry: what was cached before a write
   * stays old for ever.
   */
  touchedSince(asOf: number, tables: readonly string[] | undefined): boolean {
    if (this.#lastTouch <= asOf) return false;
    if (!tables || (this.#touches.get(EVERYTHING) ?? 0) > asOf) return true;
    return tables.some((table) => (this.#touches.get(table) ?? 0) > asOf);
  }

  /** Notes that `table` changed at the logical time `at`. */
  touch(table: string, at: number): void {
    this.#touches.set(table, at);
    this.#lastTouch = at;
  }

  /** A statement that writes `table` is about to be sent. */
  begin(table: string, writer: Writer, since = now()): void {
    let entry = this.#entries.get(table);
    if (!entry) {
      entry = { table, inFlight: 0, uncommitted: 0, openSince: since, newest: undefined, writer };
      this.#entries.set(table, entry);
      this.version++;
    }
    entry.inFlight++;
    entry.openSince = Math.max(entry.openSince, since);
    entry.writer = writer;
  }

  /** A commit that a token tells of. `mark` is numbered now, whenever the commit was. */
  carry(table: string, mark: CommitMark, writer: Writer): void {
    const entry = this.#entries.get(table);
    const before = entry?.newest;
    if (!entry) {
      this.#entries.set(table, {
        table,
        inFlight: 0,
        uncommitted: 0,
        openSince: 0,
        newest: mark,
        writer,
      });
      this.version++;
    } else {
      // Its proof alone says nothing of what was committed here before.
      entry.newest = before
        ? {
            ...mark,
            at: Math.max(before.at, mark.at),
            proof: furthest(before.proof, mark.proof),
          }
        : mark;
    }
  }

  /** A write that a token tells of and that nobody here will see the end of. */
  carryOpen(table: string, since: number, writer: Writer): void {
    this.begin(table, writer, since);
    this.hold(table);
  }

  /** A statement that writes is about to be sent. */
  sent(): void {
    this.#underWay++;
    this.#written = true;
  }

  /** It is over for this client, whatever the server makes of it. */
  answered(): void {
    if (--this.#underWay > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const wake of idle) wake();
  }

  /** Whether a statement that writes is under way. */
  get busy(): boolean {
    return this.#underWay > 0;
  }

  /** Resolves when no statement that writes is under way. */
  whenIdle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The statement is done, its transaction is still open. */
  hold(table: string): void {
    const entry = this.#entries.get(table);
    if (!entry) return;
    entry.inFlight--;
    entry.uncommitted++;
  }

  /** The write is over, from `state`: committed with a mark, or without a trace. */
  end(table: string, state: 'in-flight' | 'uncommitted', mark: CommitMark | undefined): void {
    const entry = this.#entries.get(table);
    if (!entry) return;
    if (state === 'in-flight') entry.inFlight--;
    else entry.uncommitted--;
    if (mark && (!entry.newest || mark.seq > entry.newest.seq)) entry.newest = mark;
    if (isDone(entry)) this.#remove(table);
  }

  /** Forgets the commits for which `expired` holds. Writes still open are kept whatever it says. */
  prune(expired: (mark: CommitMark) => boolean): void {
    for (const entry of this.#entries.values()) {
      if (entry.newest && expired(entry.newest)) {
        this.#settled.set(entry.table, entry.newest);
        entry.newest = undefined;
        if (isDone(entry)) this.#remove(entry.table);
      }
    }
  }

  /**
   * The newest commits that have expired here, but are not `everywhere`: a replica that this process
   * does not use may serve the same client elsewhere.
   */
  settled(everywhere: (mark: CommitMark) => boolean): ReadonlyMap<string, CommitMark> {
    for (const [table, mark] of this.#settled) {
      if (everywhere(mark)) this.#settled.delete(table);
    }
    return this.#settled;
  }

  #remove(table: string): void {
    this.#entries.delete(table);
    this.version++;
  }
}

function isDone(entry: TableEntry): boolean {
  return entry.inFlight === 0 && entry.uncommitted === 0 && entry.newest === undefined;
}
