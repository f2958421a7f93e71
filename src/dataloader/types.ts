/** What a loader needs to know; made by `byKey`, `hasMany` and `belongsTo`. */
export interface LoaderDefinition<Input, Value> {
  /** For error messages: `byKey(User)`. */
  readonly label: string;
  /** The key behind what `load` was given; `undefined` when that has none (a null foreign key). */
  keyOf(input: Input): LoaderKey | undefined;
  /** The answer for an input without a key. */
  readonly missing: () => Value;
  /** One answer a key, in the order of the keys. */
  load(keys: readonly LoaderKey[]): Promise<readonly (Value | Error)[]>;
  /** Two keys that mean the same row give the same text. */
  identity(key: LoaderKey): string;
}

/** A key as the database knows it. */
export type LoaderKey = string | number | bigint | boolean | Date | Buffer;

/** Batches and caches within the current operation. */
export interface Loader<Input, Value> {
  /** The value of one key: loads of one tick are one query, and are answered once an operation. */
  load(input: Input): Promise<Value>;
  /** The values of several keys; the error in place of each that failed. */
  loadMany(inputs: readonly Input[]): Promise<(Value | Error)[]>;
  /** Forgets one key in the current operation. Writes that go through Sequelize do it by themselves. */
  clear(input: Input): this;
  /** Forgets every key in the current operation. */
  clearAll(): this;
  /**
   * Gives a value that is known already. Refused when one of our loaders read that value before a
   * write of its tables: it may be a thing of the past.
   */
  prime(input: Input, value: Value): this;
}
