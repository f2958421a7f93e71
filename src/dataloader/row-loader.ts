import type { Model, ModelStatic } from 'sequelize';
import { OptionsError } from '../errors';
import { codecOf, idOf, isKeyValue, refuseKey } from './codec';
import { sequelizeOf, type Finder } from './finder';
import { identityOf } from './identity';
import { isolateErrors } from './isolate-errors';
import { DEFAULT_BATCH_SIZE, takesArgs, type AnyOptions } from './options';
import { valueOf, type Row } from './place';
import { hides, scoped, scopeOf, selects } from './query';
import type { RowShape } from './row-shape';
import type { BatchContext, LoaderDefinition, LoadKey } from './types';

/** What all definitions that query a model have in common. */
export function common(model: ModelStatic<Model>, label: string, options: AnyOptions) {
  return {
    label: options.name ?? label,
    sequelize: sequelizeOf(model),
    reads: undefined,
    maxBatchSize: options.maxBatchSize ?? DEFAULT_BATCH_SIZE,
    transaction: options.transaction,
    takesArgs: takesArgs(options),
  };
}

/** @throws OptionsError when rows can't be found by `attribute` */
export function keyType(label: string, model: ModelStatic<Model>, attribute: string) {
  const type: unknown = model.getAttributes()[attribute]?.type;
  const typeName =
    typeof type === 'string' ? type : ((type as { key?: string } | undefined)?.key ?? 'unknown');
  if (typeName === 'VIRTUAL' || typeName === 'ARRAY') {
    throw new OptionsError(
      `${label}: ${model.name}.${attribute} is of type ${typeName}, which no key can be of.`,
    );
  }
  return { codec: codecOf(type), typeName };
}

/** Turns what `load` was given into the key of one column. */
export function columnKey(
  label: string,
  model: ModelStatic<Model>,
  attribute: string,
  instanceOf?: string,
): (value: unknown) => LoadKey {
  const { codec, typeName } = keyType(label, model, attribute);
  return (value) => {
    const id = idOf(codec, value) ?? refuseKey(label, typeName, value, instanceOf);
    return { id, value: id };
  };
}

/** The value of `attribute` in an instance; `undefined` where it has none. */
export function keyIn(instance: Model, attribute: string): unknown {
  return valueOf(instance as unknown as Row, attribute) ?? undefined;
}

/** A definition that gives the first row of a key, or `null`. */
export function oneRow<Input, Value>(
  base: ReturnType<typeof common>,
  rows: RowShape | undefined,
  keyOf: (input: Input) => LoadKey | undefined,
  finder: Finder,
): LoaderDefinition<Input, Value | null, unknown> {
  return {
    ...base,
    rows,
    keyOf,
    missing: () => null,
    load: (keys, context) =>
      isolateErrors(keys, context.transaction, (some) =>
        finder.findFirst(some, context),
      ) as Promise<readonly (Value | null | Error)[]>,
  };
}

/** A definition that gives all rows of a key. */
export function manyRows<Input, Value>(
  base: ReturnType<typeof common>,
  rows: RowShape | undefined,
  keyOf: (input: Input) => LoadKey | undefined,
  find: (keys: readonly LoadKey[], context: BatchContext<unknown>) => Promise<Row[][]>,
): LoaderDefinition<Input, Value[], unknown> {
  return {
    ...base,
    rows,
    keyOf,
    missing: () => [],
    load: (keys, context) =>
      isolateErrors(keys, context.transaction, (some) => find(some, context)) as Promise<
        readonly (Value[] | Error)[]
      >,
  };
}

/**
 * What the rows are, for loaders that can give each other rows: those of one model class under one
 * scope, with the same columns and nothing joined. `undefined` for all others.
 */
export function shapeOf(
  model: ModelStatic<Model>,
  options: AnyOptions,
  keyColumn: string | undefined,
): RowShape | undefined {
  const { attributes, scope, paranoid = true, raw = false, include } = options;
  if (include !== undefined || raw) return undefined;
  if (attributes !== undefined && !isListOfNames(attributes)) return undefined;
  const columns = attributes && [...new Set(attributes)].sort();
  // A key's attribute is added when it is missing, and then it is one more column.
  const added =
    keyColumn !== undefined && !selects(attributes ?? inScope(model, scope), keyColumn)
      ? keyColumn
      : undefined;
  const selection = identityOf('scope', { columns, scope, paranoid, added });
  return { selection, model, idOf: undefined };
}

/** The shape of a loader of one row by `attribute`, so that it can take rows that others read. */
export function takingShape(
  model: ModelStatic<Model>,
  attribute: string,
  options: AnyOptions,
): RowShape | undefined {
  const shape = shapeOf(model, options, attribute);
  const { primaryKey, unique, type } = model.getAttributes()[attribute] ?? {};
  const alone = (primaryKey === true && model.primaryKeyAttributes.length === 1) || unique === true;
  const codec = codecOf(type);
  if (!shape || !alone || !codec.exact || options.where !== undefined) return shape;
  if (hides(inScope(model, options.scope), attribute)) return shape;
  return {
    ...shape,
    idOf: (row) => {
      const value = valueOf(row as Row, attribute);
      return isKeyValue(value) ? idOf(codec, value) : undefined;
    },
  };
}

/** The attributes that a scope has now; those of one that is yet to be made are not known. */
function inScope(model: ModelStatic<Model>, scope: AnyOptions['scope']): unknown {
  try {
    return scopeOf(scoped(model, scope)).attributes;
  } catch {
    return [];
  }
}

function isListOfNames(attributes: unknown): attributes is string[] {
  return Array.isArray(attributes) && attributes.every((name) => typeof name === 'string');
}
