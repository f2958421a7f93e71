import type { Model, Sequelize, Transaction } from 'sequelize';
import type { TableLike } from '../handle';
import type { KeyId } from './codec';
import type { RowShape } from './row-shape';

/** A value by which a row can be found. */
export type KeyValue = string | number | bigint | boolean | Date | Buffer;

/**
 * What a loader takes as the key of an attribute of type `T`. Numbers may come as text (a GraphQL
 * ID), and columns of type BIGINT, which drivers give as text, as a bigint.
 */
export type KeyOf<T> = unknown extends T ? KeyValue : KeyOfNonNull<NonNullable<T>>;

type KeyOfNonNull<T> = T extends number | bigint
  ? number | bigint | string
  : T extends string
    ? T | (string extends T ? bigint : never)
    : T extends KeyValue
      ? T
      : KeyValue;

/** Batches and caches within the current operation. */
export interface Loader<Input, Value> {
  /**
   * The value of one key. Loads of one tick are one batch, and a key is answered once an operation
   * until a table behind it is written.
   *
   * The value is shared between all who ask for it in one operation: don't change it.
   *
   * Rejects with an OptionsError for what is no key of this loader, and when an option depends on
   * arguments that were not given by `with`.
   */
  load(input: Input): Promise<Value>;
  /**
   * The values of several keys; the error in place of each that failed, an OptionsError for what is
   * no key of this loader.
   *
   * @throws OptionsError when `inputs` is no array
   */
  loadMany(inputs: readonly Input[]): Promise<(Value | Error)[]>;
  /**
   * Forgets one key in the current operation. Writes that go through Sequelize do it by themselves.
   *
   * @throws OptionsError for what is no key of this loader
   */
  clear(input: Input): this;
  /** Forgets every key in the current operation. */
  clearAll(): this;
  /**
   * Gives a value that is known already. Refused when one of our loaders read that value before a
   * write of its tables or inside a transaction; any other value is taken as it is. A refusal is
   * silent: the next load asks the database. So is a call where nothing is cached, outside an
   * operation and inside a transaction.
   *
   * @throws OptionsError for what is no key of this loader
   */
  prime(input: Input, value: Value): this;
  /**
   * The same loader inside `transaction`: batched with its like, never cached. `null`: outside the
   * transaction that `Sequelize.useCLS` would give.
   */
  within(transaction: Transaction | null): Loader<Input, Value>;
}

/** A loader whose options depend on arguments. */
export interface ArgumentsLoader<Input, Value, Args> {
  /**
   * The loader for these arguments: loads with equal arguments share batch and cache.
   *
   * @throws OptionsError for arguments that are not plain data
   */
  with(args: Args): Loader<Input, Value>;
  /** Forgets every key, of all arguments, in the current operation. */
  clearAll(): this;
}

/** The loader that a definition becomes. */
export type LoaderOf<Definition> =
  Definition extends LoaderDefinition<infer Input, infer Value, infer Args>
    ? [Args] extends [undefined]
      ? Loader<Input, Value>
      : undefined extends Args
        ? ArgumentsLoader<Input, Value, Args> & Loader<Input, Value>
        : ArgumentsLoader<Input, Value, Args>
    : never;

/** A key in the form that batches are made of: equal keys have the same `id`. */
export interface LoadKey {
  readonly id: KeyId;
  /** What the load function is given. */
  readonly value: unknown;
}

/** What a batch is run with. */
export interface BatchContext<Args = undefined> {
  /** As given to `with`; `undefined` without. */
  readonly args: Args;
  /** The transaction of all the batch's keys; `null` when they were loaded outside any. */
  readonly transaction: Transaction | null;
}

/** What a loader needs to know; made by `byKey`, `hasMany` and the others. */
export interface LoaderDefinition<in Input, out Value, in Args = undefined> {
  /** For error messages: `byKey(User)`. */
  readonly label: string;
  /** The Sequelize instance that its queries run on, when that is known. */
  readonly sequelize: Sequelize | undefined;
  /** Tables that it reads besides those that its queries show. */
  readonly reads: readonly TableLike[] | undefined;
  /** Keys a batch, at most. */
  readonly maxBatchSize: number;
  /** The transaction that the option names, or gives at each load. */
  readonly transaction: TransactionOption | undefined;
  /** Whether `with` makes sense. */
  readonly takesArgs: boolean;
  /** Of loaders of plain rows: which others their rows can answer. */
  readonly rows: RowShape | undefined;
  /**
   * The key behind what `load` was given; `undefined` when that has none (a null foreign key).
   *
   * @throws OptionsError when it is no key of this loader
   */
  keyOf(input: Input): LoadKey | undefined;
  /** The answer for an input without a key. */
  missing(): Value;
  /** One answer a key, in the order of the keys, which are all different. */
  load(keys: readonly LoadKey[], context: BatchContext<Args>): Promise<readonly (Value | Error)[]>;
}

/** A transaction, or a function that gives one at each load (`null`: none, whatever CLS says). */
export type TransactionOption = Transaction | (() => Transaction | null | undefined);

/** A row as a loader gives it: an instance, or with `raw: true` the attributes. */
export type RowOf<M extends Model, Raw extends boolean> = Raw extends true ? M['_attributes'] : M;
