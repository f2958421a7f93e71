import DataLoader from 'dataloader';
import type { Transaction } from 'sequelize';
import { OptionsError, echo } from '../errors';
import {
  logicalTime,
  runInExactFrame,
  type Batch,
  type Field,
  type FieldFreshness,
  type Frame,
  type Ledger,
  type Operation,
} from '../operation';
import type { KeyId } from './codec';
import { isCurrent, type ReadRows } from './read-rows';
import { noteRead, readTimeOf, READ_INSIDE_A_TRANSACTION } from './read-times';
import { TablesSeen, type TablesOf } from './tables-seen';
import { runWithTransaction } from './transactions';
import type { LoadKey, LoaderDefinition } from './types';

/** What the code around a load wishes for its reads. */
export interface Wish {
  /** The node that `usePrimary` or `useReplica` asks for. */
  readonly asked: 'primary' | 'replica' | undefined;
  /** What `@freshness` of the field around it says. */
  readonly freshness: FieldFreshness | undefined;
}

/** All that has to be the same for two loads to share a batch. */
export interface LaneBounds {
  readonly operation: Operation | undefined;
  readonly wish: Wish;
  readonly transaction: Transaction | null;
  readonly args: unknown;
  /** Whether what is loaded is kept for later loads. */
  readonly cached: boolean;
}

/** What a lane asks of the loader that it belongs to. */
export interface LaneHost {
  readonly ledger: Ledger;
  /** The declared tables; `undefined` while they are not known. */
  declaredTables(): readonly string[] | undefined;
  /** A batch of `lane` is on its way: the lane takes no more keys if it keeps no cache. */
  dispatched(lane: object): void;
  /** Whether the key was cleared after the logical time `asOf`. */
  clearedSince(asOf: number, key: KeyId): boolean;
  /** Rows that other loaders may want. */
  offer(bounds: LaneBounds, rows: ReadRows): void;
}

const NEVER = -1;

/** The DataLoader of one definition for loads that may share a batch. */
export class Lane<Value> {
  readonly #definition: LoaderDefinition<never, Value, never>;
  readonly #host: LaneHost;
  readonly #bounds: LaneBounds;
  readonly #caches: boolean;
  readonly #loader: DataLoader<LoadKey, Value, KeyId>;
  readonly #tables: TablesSeen;
  /** Everything cached was read at or after this logical time. */
  #asOf = logicalTime();
  /** The last logical time at which that was known to be no past. */
  #currentAt = this.#asOf;
  #resolvers = new Set<string>();
  #fields = new Set<Field | undefined>();
  #offers: ReadRows[] = [];
  /** A batch may have a key twice: nothing is cached, or the first load of it was forgotten. */
  #mayRepeat: boolean;
  /** The fields that what is cached was decided for, batch by batch. */
  #readUnder: (readonly (Field | undefined)[])[] = [];

  constructor(
    definition: LoaderDefinition<never, Value, never>,
    host: LaneHost,
    bounds: LaneBounds,
  ) {
    this.#definition = definition;
    this.#host = host;
    this.#bounds = bounds;
    this.#caches = bounds.cached;
    this.#mayRepeat = !this.#caches;
    this.#tables = new TablesSeen(definition.reads && (() => host.declaredTables()));
    this.#loader = new DataLoader<LoadKey, Value, KeyId>((keys) => this.#batch(keys), {
      name: definition.label,
      cache: this.#caches,
      cacheKeyFn: ({ id }) => id,
      maxBatchSize: definition.maxBatchSize,
    });
  }

  load(
    key: LoadKey,
    { resolver, field, batch }: Pick<Frame, 'resolver' | 'field' | 'batch'>,
  ): Promise<Value> {
    this.#forgetThePast();
    if (this.#offers.length > 0) this.#takeOffers();
    if (batch) this.#noteOuter(batch);
    else this.#noteAsker(resolver, field);
    return this.#loader.load(key);
  }

  /** A batch runs in the context of whichever load came first, so each key leaves its name here. */
  #noteAsker(resolver: string | undefined, field: Field | undefined): void {
    if (this.#host.ledger.tellsFieldsApart) this.#forgetWhatMissed(field);
    if (resolver !== undefined) this.#resolvers.add(resolver);
    this.#fields.add(field);
  }

  /** Asked by the batch of another loader: for all its keys, and what is read here is read there. */
  #noteOuter(outer: Batch): void {
    for (const resolver of outer.resolvers) this.#resolvers.add(resolver);
    for (const field of outer.fields) this.#noteAsker(undefined, field);
    outer.onLoad(this.#tables);
  }

  clear(key: LoadKey): void {
    this.#mayRepeat = true;
    this.#loader.clear(key);
  }

  clearAll(): void {
    this.#mayRepeat = true;
    this.#loader.clearAll();
    this.#readUnder = [];
    this.#currentAt = this.#asOf = logicalTime();
  }

  prime(key: LoadKey, value: Value): void {
    if (!this.#caches) return;
    this.#forgetThePast();
    const asOf = readTimeOf(value);
    if (asOf === READ_INSIDE_A_TRANSACTION) return;
    if (asOf !== undefined && this.#touchedSince(asOf)) return;
    // Nobody knows for whom it was read.
    this.#noteReadUnder([]);
    this.#loader.prime(key, value);
  }

  /** Rows that another loader read: looked into only when somebody loads here. */
  offer(rows: ReadRows): void {
    if (!this.#caches) return;
    this.#addTables(rows.tables);
    // Nobody may ever look here: what a write has overtaken is not to pile up.
    this.#offers = this.#offers.filter((offer) => this.#isCurrent(offer));
    this.#offers.push(rows);
  }

  #takeOffers(): void {
    const idOf = this.#definition.rows?.idOf;
    const offers = this.#offers;
    this.#offers = [];
    for (const offer of offers) {
      if (!idOf || !this.#isCurrent(offer)) continue;
      this.#noteReadUnder(offer.fields);
      for (const row of offer.values.flat()) {
        if (typeof row !== 'object' || row === null) continue;
        const id = idOf(row);
        if (id === undefined || this.#host.clearedSince(offer.asOf, id)) continue;
        this.#loader.prime({ id, value: id }, row as Value);
      }
    }
  }

  /** A write to a table of ours ends all that was read before it, also what is still on its way. */
  #forgetThePast(): void {
    const time = logicalTime();
    if (time === this.#currentAt || !this.#caches) return;
    this.#currentAt = time;
    // What was offered may be younger than the write, and is looked at by itself.
    if (this.#touchedSince(this.#asOf)) this.clearAll();
  }

  /** What was decided for other fields may be older than a write that counts for this one. */
  #forgetWhatMissed(field: Field | undefined): void {
    const { operation } = this.#bounds;
    if (!this.#caches || !operation) return;
    const { ledger } = this.#host;
    const tables = () => this.#tables.get();
    if (
      this.#readUnder.some((fields) => ledger.missedUnder(fields, { operation, field }, tables))
    ) {
      this.clearAll();
    }
  }

  #noteReadUnder(fields: readonly (Field | undefined)[]): void {
    const isSame = (known: readonly (Field | undefined)[]) =>
      known.length === fields.length && known.every((field, index) => field === fields[index]);
    if (!this.#readUnder.some(isSame)) this.#readUnder.push(fields);
  }

  /** With more tables to look at, what was known to be current may not be. */
  #addTables(tables: TablesOf): void {
    this.#tables.add(tables);
    this.#currentAt = NEVER;
  }

  #touchedSince(time: number): boolean {
    return !this.#isCurrent({ asOf: time, tables: () => this.#tables.get() });
  }

  #isCurrent(read: Pick<ReadRows, 'asOf' | 'tables'>): boolean {
    return isCurrent(this.#host.ledger, this.#bounds.operation, read);
  }

  async #batch(asked: readonly LoadKey[]): Promise<readonly (Value | Error)[]> {
    this.#host.dispatched(this);
    const keys = this.#mayRepeat ? different(asked) : asked;
    const asOf = logicalTime();
    const seen = new TablesSeen();
    const { args, transaction } = this.#bounds;
    const frame = this.#frame(asked.length, seen);
    const { fields = [] } = frame.batch ?? {};
    if (this.#caches) this.#noteReadUnder(fields);
    let values: readonly (Value | Error)[];
    try {
      values = await runInExactFrame(frame, () =>
        runWithTransaction(this.#definition.sequelize, transaction, () =>
          this.#definition.load(keys, { args: args as never, transaction }),
        ),
      );
    } finally {
      seen.settle();
      this.#tables.unfollow(seen);
    }
    this.#assertOneEach(values, keys);
    noteRead(values, transaction ? READ_INSIDE_A_TRANSACTION : asOf);
    if (this.#caches && this.#definition.rows) {
      this.#host.offer(this.#bounds, { values, asOf, fields, tables: () => seen.get() });
    }
    if (keys === asked || keys.length === asked.length) return values;
    const byId = new Map(keys.map(({ id }, index) => [id, values[index]]));
    return asked.map(({ id }) => byId.get(id) as Value | Error);
  }

  #frame(size: number, seen: TablesSeen): Frame {
    const { operation, wish } = this.#bounds;
    const resolvers = [...this.#resolvers];
    const fields = [...this.#fields];
    // A full batch may be the first of several of one tick, and the names are those of all.
    if (size < this.#definition.maxBatchSize) {
      this.#resolvers = new Set();
      this.#fields = new Set();
    }
    return {
      operation,
      resolver: resolvers[0],
      field: fields[0],
      freshness: wish.freshness,
      batch: {
        resolvers,
        fields,
        onRead: (tables) => {
          seen.add(tables);
          this.#addTables(tables);
        },
        onLoad: (tables) => {
          if (!seen.follow(tables)) return;
          this.#tables.follow(seen);
          this.#currentAt = NEVER;
        },
      },
      asked: wish.asked && { target: wish.asked, active: true },
      feedsWrite: undefined,
    };
  }

  #assertOneEach(values: unknown, keys: readonly LoadKey[]): void {
    if (Array.isArray(values) && values.length === keys.length) return;
    const got = Array.isArray(values) ? `${values.length} values` : echo(values);
    throw new OptionsError(
      `${this.#definition.label}: load must give an array with one value a key, in the order of the ${keys.length} keys, got ${got}.`,
    );
  }
}

function different(keys: readonly LoadKey[]): LoadKey[] {
  return [...new Map(keys.map((key) => [key.id, key])).values()];
}
