import { now } from '../clock';
import { History, type CommitMark, type Proof } from './history';
import type { Field } from './field';
import { nextTime } from './logical-time';
import type { Operation } from './operation';
import { OpenWrite } from './open-write';
import type { Frame } from './scope';

/** A live write of an earlier operation, as a session token tells of it. */
export interface CarriedWrite {
  readonly table: string;
  /** Its outcome was not known when the token was made. */
  readonly open: boolean;
  /** Monotonic milliseconds at which its commit was acknowledged (or it was sent), on our clock. */
  readonly at: number;
  readonly proof: Proof | undefined;
}

/** The part of a frame that says whose writes count. */
export type Asker = Pick<Frame, 'operation' | 'field' | 'batch'>;

/**
 * The books of one handle: the history of every operation, of the process, and of the writes that
 * had no operation around them (a batcher, a queue or an emitter lost the context: they might be
 * anybody's, so every operation counts them).
 */
export class Ledger {
  readonly process = new History();
  readonly orphans = new History();
  readonly #onCommit: (mark: CommitMark) => void;
  /** Owns the histories by field; none where all writes of an operation count for all of it. */
  readonly #fields: object | undefined;

  constructor(
    onCommit: (mark: CommitMark) => void,
    historyScope: 'operation' | 'resolver' = 'operation',
  ) {
    this.#onCommit = onCommit;
    this.#fields = historyScope === 'resolver' ? {} : undefined;
  }

  /** Whether the writes of an operation count only for some of its fields. */
  get tellsFieldsApart(): boolean {
    return this.#fields !== undefined;
  }

  /** The history of `operation`, if it has written anything through this handle. */
  peek(operation: Operation): History | undefined {
    return operation.peek(this) as History | undefined;
  }

  /** Whether `operation`, or one it follows, has a live write or had one. */
  hasWritten(operation: Operation): boolean {
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      if (this.peek(op)?.written) return true;
    }
    return false;
  }

  /** Whether no write counts for anybody in `operation`, or outside any. */
  isEmptyFor(operation: Operation | undefined): boolean {
    if (this.process.size > 0) return false;
    // What a token has brought in is in the operation's own history alone.
    for (let op = operation; op; op = op.follows) {
      const history = this.peek(op);
      if (history && history.size > 0) return false;
    }
    return true;
  }

  /** The histories whose live writes count for `asker`, or for code outside any operation. */
  *scopes(asker: Asker): IterableIterator<History> {
    const { operation } = asker;
    if (!operation) {
      yield this.process;
      return;
    }
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      const byField = op === operation ? this.#byField(op) : undefined;
      if (byField) yield* visible(byField, asker);
      else {
        const history = this.peek(op);
        if (history) yield history;
      }
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
   * Whether a write in `operation` to one of `tables` (any table when they are not known) counts for
   * what is read under `field`, and did not for what was read under `fields`.
   */
  missedUnder(
    fields: readonly (Field | undefined)[],
    { operation, field }: { readonly operation: Operation; readonly field: Field | undefined },
    tables: () => readonly string[] | undefined,
  ): boolean {
    for (const [writer, history] of this.#byField(operation) ?? []) {
      if (!writer || !sees([field], writer) || sees(fields, writer)) continue;
      if (history.touchedSince(0, tables())) return true;
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
    { operation, resolver, field }: Pick<Frame, 'operation' | 'resolver' | 'field'>,
  ): OpenWrite {
    const histories = [this.process, ...this.#historiesOf(operation, field)];
    const writer = { operation: operation?.info, resolver };
    return new OpenWrite(histories, tables, ignored, writer, () => this.#number());
  }

  /** A statement that may write is on its way. Returns what is to be called when it is over. */
  expectWrite(operation: Operation): () => void {
    const history = operation.state(this, () => new History());
    history.sent();
    return () => history.answered();
  }

  /** Counts writes of earlier operations of the same client as if `operation` had made them. */
  carry(writes: readonly CarriedWrite[], operation: Operation): void {
    const writer = { operation: operation.info, resolver: undefined };
    const histories = this.#historiesOf(operation, undefined);
    for (const { table, open, at, proof } of writes) {
      const mark = open ? undefined : this.#number({ at, proof });
      for (const history of histories) {
        if (mark) history.carry(table, mark, writer);
        else history.carryOpen(table, at, writer);
        // What loaders have read before they heard of it may be older.
        history.touch(table, nextTime());
      }
    }
  }

  /** Numbers this moment: whoever shows the mark shows all that was there to be read until now. */
  observe(proof?: Proof): CommitMark {
    return this.#number({ at: now(), proof });
  }

  /** Forgets the writes that every node in use is known to have. */
  prune(operation: Operation | undefined, expired: (mark: CommitMark) => boolean): void {
    if (this.process.size > 0) this.process.prune(expired);
    if (this.orphans.size > 0) this.orphans.prune(expired);
    for (let op = operation; op; op = op.follows) {
      this.peek(op)?.prune(expired);
      const byField = this.#byField(op);
      if (byField) for (const history of byField.values()) history.prune(expired);
    }
  }

  #historiesOf(operation: Operation | undefined, field: Field | undefined): History[] {
    if (!operation) return [this.orphans];
    const own = operation.state(this, () => new History());
    if (!this.#fields) return [own];
    const byField = operation.state<HistoryByField>(this.#fields, () => new Map());
    let history = byField.get(field);
    if (!history) {
      history = new History();
      byField.set(field, history);
    }
    return [own, history];
  }

  #byField(operation: Operation): HistoryByField | undefined {
    return this.#fields && (operation.peek(this.#fields) as HistoryByField | undefined);
  }

  /** Numbers a commit whose acknowledgement has just arrived, or what else is known just now. */
  #number(ofSession?: Pick<CommitMark, 'at' | 'proof'>): CommitMark {
    const mark: CommitMark = {
      ...{ seq: nextTime(), at: now() },
      ...(ofSession && { ...ofSession, ofSession: true }),
    };
    this.#onCommit(mark);
    return mark;
  }
}

/** What was written under no field counts for every field. */
type HistoryByField = Map<Field | undefined, History>;

function* visible(byField: HistoryByField, { field, batch }: Asker): IterableIterator<History> {
  const askers = batch ? batch.fields : [field];
  for (const [writer, history] of byField) {
    if (!writer || sees(askers, writer)) yield history;
  }
}

function sees(askers: readonly (Field | undefined)[], writer: Field): boolean {
  return askers.some((asker) => !asker || asker.sees(writer));
}
