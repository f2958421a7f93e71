import { assertTable } from '../arguments';
import { OptionsError, echo } from '../errors';
import type { TableLike } from '../handle';
import { identified } from './identity';
import { DEFAULT_BATCH_SIZE, KNOWN, checkOptions, type BatchOptions } from './options';
import type { BatchContext, LoaderDefinition } from './types';

/** Options of {@link batch}. */
export interface OwnBatchOptions<Key, Value, Args> extends BatchOptions {
  /** The tables (or views) behind the values: a write to one of them clears the loader. */
  readonly reads: readonly TableLike[];
  /**
   * One value a key, in the order of the keys; an Error in the place of a value rejects that key
   * alone. Queries in it are the batch's: routed by the writes of the keys' operation.
   */
  readonly load: (
    keys: readonly Key[],
    context: BatchContext<Args>,
  ) => PromiseLike<readonly (Value | Error)[]>;
}

/**
 * A loader with a function of your own. Keys are plain data; equal ones are asked for once.
 *
 * ```ts
 * batch({ reads: ['votes'], load: async (ids: readonly number[]) => scoresOf(ids) })
 * ```
 *
 * @throws OptionsError for bad options
 */
export function batch<Key, Value, Args = undefined>(
  options: OwnBatchOptions<Key, Value, Args>,
): LoaderDefinition<Key, Value, Args> {
  const checked = checkOptions('batch(options)', options, [...KNOWN.batch, 'reads', 'load']);
  const { reads, load, name, maxBatchSize, transaction } = checked;
  const label = name ?? 'batch';
  if (!Array.isArray(reads)) {
    throw new OptionsError(
      `${label}: reads must be an array of the tables that load reads, got ${echo(reads)}.`,
    );
  }
  for (const table of reads as readonly unknown[]) assertTable(`${label}: reads`, table);
  if (typeof load !== 'function') {
    throw new OptionsError(`${label}: load must be a function of keys, got ${echo(load)}.`);
  }
  return {
    label,
    sequelize: undefined,
    reads,
    maxBatchSize: maxBatchSize ?? DEFAULT_BATCH_SIZE,
    transaction,
    takesArgs: true,
    rows: undefined,
    keyOf: (key) => {
      const { id, copy } = identified(`${label}: a key`, key);
      return { id, value: copy };
    },
    missing: () => {
      throw new OptionsError(`${label}: every key goes to load.`);
    },
    load: async (keys, context) =>
      load(
        keys.map(({ value }) => value as Key),
        context,
      ),
  };
}
