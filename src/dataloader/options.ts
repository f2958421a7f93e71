import {
  Utils,
  type FindAttributeOptions,
  type FindOptions,
  type Model,
  type ModelStatic,
  type WhereOptions,
} from 'sequelize';
import { OptionsError, echo } from '../errors';
import { isRecord, rejectUnknownKeys } from '../validate';
import { isTransaction } from './transactions';
import type { TransactionOption } from './types';

/** A value, or a function that makes it of the arguments given to `with`. */
export type OfArgs<T, Args> = T | ((args: Args) => T);

/** What every loader takes. */
export interface BatchOptions {
  /** Keys a batch, at most; more are several batches. Default 10,000. */
  readonly maxBatchSize?: number;
  /** Names the loader in error messages. Default: what it was made by, such as `byKey(User)`. */
  readonly name?: string;
  /**
   * The transaction of every load, or a function that gives one for each: such loads are batched
   * with their like and never cached. Default: the one that `Sequelize.useCLS` gives, if any.
   */
  readonly transaction?: TransactionOption;
}

/** Which rows are meant, with the meaning that these options have for `findAll`. */
export interface FilterOptions<M extends Model, Args> {
  /** Conditions beside the key, added to those of scopes. Default: none. */
  readonly where?: OfArgs<WhereOptions<M['_attributes']>, Args>;
  /** A scope of the model, several, or `false` for none. Default: the model's default scope. */
  readonly scope?: ScopeOption;
  /** `false` finds soft-deleted rows too. Default `true`. */
  readonly paranoid?: boolean;
}

/** What loaders of rows take. */
export interface RowOptions<M extends Model, Args, Raw extends boolean>
  extends FilterOptions<M, Args>, BatchOptions {
  /** Default: all. What the loader itself needs is added. */
  readonly attributes?: AttributesOption<M>;
  /** The order of the rows of one key. Default: none. */
  readonly order?: OfArgs<FindOptions<M['_attributes']>['order'], Args>;
  /** Associations to load along. Default: none. */
  readonly include?: FindOptions['include'];
  /** `true` gives plain objects in place of instances. Default `false`. */
  readonly raw?: Raw;
}

/** What loaders of several rows a key take. */
export interface ListOptions<M extends Model, Args, Raw extends boolean> extends RowOptions<
  M,
  Args,
  Raw
> {
  /** Rows for each key, at most. Default: all. */
  readonly limit?: OfArgs<number | undefined, Args>;
  /** Rows to leave out at the start, for each key. Default 0. */
  readonly offset?: OfArgs<number | undefined, Args>;
}

/** A scope's name, or its name and arguments. */
export type NamedScope = string | { readonly method: string | readonly [string, ...unknown[]] };
export type ScopeOption = NamedScope | readonly NamedScope[] | false;

type AttributeName<M extends Model> = Extract<keyof M['_attributes'], string>;
type Projected<M extends Model> =
  AttributeName<M> | Exclude<Extract<FindAttributeOptions, readonly unknown[]>[number], string>;

export type AttributesOption<M extends Model> =
  | readonly Projected<M>[]
  | { readonly exclude?: readonly AttributeName<M>[]; readonly include?: readonly Projected<M>[] };

/** The options of any factory, as the room works with them. */
export interface AnyOptions extends BatchOptions {
  readonly where?: unknown;
  readonly scope?: ScopeOption;
  readonly paranoid?: boolean;
  readonly attributes?: unknown;
  readonly order?: unknown;
  readonly include?: unknown;
  readonly raw?: boolean;
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly many?: boolean;
  readonly through?: ThroughOptions;
}

/** Of the rows between the two sides of a belongsToMany. */
export interface ThroughOptions {
  /** Default: all. The key's attribute is added. */
  readonly attributes?: readonly string[];
  /** Conditions beside the key. Default: none. */
  readonly where?: WhereOptions;
  /** `false` takes soft-deleted ones too. Default `true`. */
  readonly paranoid?: boolean;
}

export const DEFAULT_BATCH_SIZE = 10_000;
const BATCH = ['maxBatchSize', 'name', 'transaction'] as const;
const FILTER = ['where', 'scope', 'paranoid', ...BATCH] as const;
const ROW = ['attributes', 'order', 'include', 'raw', ...FILTER] as const;
const LIST = ['limit', 'offset', ...ROW] as const;
export const KNOWN = { batch: BATCH, filter: FILTER, row: ROW, list: LIST } as const;

type Check = (value: unknown) => string | undefined;

/** Of the options that may be functions of arguments: what such a function gives is checked as well. */
const OF_ARGS: Readonly<Record<string, Check>> = {
  limit: wrongCount,
  offset: wrongCount,
  order: wrongOrder,
};

const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'true or false');
const CHECKS: Readonly<Record<string, Check>> = {
  many: flag,
  raw: flag,
  paranoid: flag,
  name: (value) => (typeof value === 'string' && value !== '' ? undefined : 'a text'),
  maxBatchSize: (value) =>
    Number.isInteger(value) && (value as number) > 0 ? undefined : 'a whole number above 0',
  ...OF_ARGS,
  attributes: (value) =>
    isRecord(value) || Array.isArray(value) ? undefined : 'an array of names, or { exclude }',
  through: (value) => (isRecord(value) ? undefined : 'an object such as { where: { … } }'),
  transaction: (value) =>
    typeof value === 'function' || isTransaction(value) ? undefined : 'a transaction or a function',
};

/** @throws OptionsError for an unknown option, or a value of the wrong kind; the value is echoed. */
export function checkOptions<Options extends object>(
  label: string,
  options: Options,
  known: readonly string[],
): Options {
  if (!isRecord(options)) {
    throw new OptionsError(`${label}: options must be an object, got ${echo(options)}.`);
  }
  const { name: own } = options;
  const called = typeof own === 'string' && own !== '' ? own : label;
  rejectUnknownKeys(called, options, known);
  for (const [name, check] of Object.entries(CHECKS)) {
    const value = options[name];
    const later = value === undefined || (name in OF_ARGS && isOfArgs(value));
    const wanted = later ? undefined : check(value);
    if (wanted !== undefined) {
      throw new OptionsError(`${called}: ${name} must be ${wanted}, got ${echo(value)}.`);
    }
  }
  return options;
}

/** An option's value for some arguments. */
export function valueFor(label: string, name: string, option: unknown, args: unknown): unknown {
  if (!isOfArgs(option)) return option;
  let value: unknown;
  try {
    value = option(args);
  } catch (error) {
    if (args !== undefined) throw error;
    throw new OptionsError(
      `${label}: ${name} depends on arguments and none were given; write .with(arguments).load(key).`,
      { cause: error },
    );
  }
  const wanted = value === undefined || value === null ? undefined : OF_ARGS[name]?.(value);
  if (wanted === undefined) return value;
  throw new OptionsError(`${label}: ${name} must be ${wanted}, got ${echo(value)}.`);
}

/** Whether any option depends on arguments. */
export function takesArgs({ where, order, limit, offset }: AnyOptions): boolean {
  return [where, order, limit, offset].some(isOfArgs);
}

export function isModel(value: unknown): value is ModelStatic<Model> {
  return (
    typeof value === 'function' &&
    typeof (value as { findAll?: unknown }).findAll === 'function' &&
    typeof (value as { getTableName?: unknown }).getTableName === 'function'
  );
}

function isOfArgs(option: unknown): option is (args: unknown) => unknown {
  return typeof option === 'function';
}

/** Sequelize looks at it when it queries, and then nobody knows which loader is meant. */
function wrongOrder(value: unknown): string | undefined {
  return value === null || Array.isArray(value) || value instanceof Utils.SequelizeMethod
    ? undefined
    : "an array such as ['id'] or [['id', 'DESC']], or what literal, fn or col of Sequelize give";
}

function wrongCount(value: unknown): string | undefined {
  return Number.isInteger(value) && (value as number) >= 0
    ? undefined
    : 'a whole number, 0 or more';
}
