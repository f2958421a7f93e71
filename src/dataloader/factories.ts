import type { Association, FindOptions, Model, ModelStatic } from 'sequelize';
import { OptionsError, echo } from '../errors';
import { isRecord, rejectUnknownKeys } from '../options';
import { keyIdentity, isKey } from './keys';
import { findByColumn, isModel, isCaseless, type Finder } from './rows';
import type { LoaderDefinition, LoaderKey } from './types';

/** What every factory takes, with the meaning it has for `findAll`. */
export interface LoaderOptions<M extends Model> {
  /** Default: all. The key's attribute is always added. */
  readonly attributes?: readonly string[];
  /** Added to the model's scope. Default: none. */
  readonly where?: FindOptions<M>['where'];
  /** The order of the rows of one key. Default: none. */
  readonly order?: FindOptions<M>['order'];
  /** Default: none. */
  readonly include?: FindOptions<M>['include'];
  /** `false` finds soft-deleted rows too. Default `true`. */
  readonly paranoid?: boolean;
}

const OPTIONS = ['attributes', 'where', 'order', 'include', 'paranoid'];

/** The attributes of a model's instance. */
type AttributeOf<M extends Model> = Extract<keyof M['_attributes'], string>;

/**
 * Loads rows by a column: by default the primary key, and one row a key (`null` when there is none).
 * With `many: true` all rows of a key, as an array.
 *
 * @throws OptionsError when `model` is no Sequelize model, has no such attribute, or for bad options
 */
export function byKey<M extends Model>(
  model: ModelStatic<M>,
  attribute: AttributeOf<M> | undefined,
  options: LoaderOptions<M> & { readonly many: true },
): LoaderDefinition<LoaderKey, M[]>;
export function byKey<M extends Model>(
  model: ModelStatic<M>,
  attribute?: AttributeOf<M>,
  options?: LoaderOptions<M> & { readonly many?: false },
): LoaderDefinition<LoaderKey, M | null>;
export function byKey<M extends Model>(
  model: ModelStatic<M>,
  attribute?: string,
  options: LoaderOptions<M> & { readonly many?: boolean } = {},
): LoaderDefinition<LoaderKey, M[] | M | null> {
  if (!isModel(model)) {
    throw new OptionsError(
      `byKey(model, attribute, options): model must be a Sequelize model, got ${echo(model)}.`,
    );
  }
  const column = attribute ?? primaryKeyOf(model);
  const label = `byKey(${model.name}${attribute === undefined ? '' : `, '${attribute}'`})`;
  assertAttribute(label, model, column);
  const { many, ...rest } = assertOptions(label, options, [...OPTIONS, 'many']);
  if (many !== undefined && typeof many !== 'boolean') {
    throw new OptionsError(`${label}: many must be true or false, got ${echo(many)}.`);
  }
  const finder = { model, column, options: rest };
  const keyOf = (input: LoaderKey) => assertKey(label, input);
  return many ? manyRows(label, finder, keyOf) : oneRow(label, finder, keyOf);
}

/**
 * Loads the rows of a hasMany association: by the source's key, or by the source itself.
 *
 * @throws OptionsError when `association` is no hasMany, or for bad options
 */
export function hasMany<Source extends Model, Target extends Model>(
  association: Association<Source, Target> | undefined,
  options: LoaderOptions<Target> = {},
): LoaderDefinition<LoaderKey | Source, Target[]> {
  const { source, target, foreignKey, sourceKey, scope, label } = assertAssociation<Target>(
    'hasMany',
    association,
  );
  const checked = assertOptions(label, options, OPTIONS);
  const finder = { model: target, column: foreignKey, options: checked, scope };
  return manyRows(label, finder, (input) =>
    input instanceof source ? keyFrom(input, sourceKey) : assertKey(label, input, source.name),
  );
}

/**
 * Loads the row that a belongsTo association points to: by the foreign key, or by the child itself.
 *
 * @throws OptionsError when `association` is no belongsTo, or for bad options
 */
export function belongsTo<Source extends Model, Target extends Model>(
  association: Association<Source, Target> | undefined,
  options: LoaderOptions<Target> = {},
): LoaderDefinition<LoaderKey | Source | null | undefined, Target | null> {
  const { source, target, foreignKey, targetKey, label } = assertAssociation<Target>(
    'belongsTo',
    association,
  );
  const finder = {
    model: target,
    column: targetKey,
    options: assertOptions(label, options, OPTIONS),
  };
  return oneRow(label, finder, (input) => {
    if (input === null || input === undefined) return undefined;
    return input instanceof source
      ? keyFrom(input, foreignKey)
      : assertKey(label, input, source.name);
  });
}

function oneRow<Input, M extends Model>(
  label: string,
  finder: Finder<M>,
  keyOf: (input: Input) => LoaderKey | undefined,
): LoaderDefinition<Input, M | null> {
  const caseless = isCaseless(finder);
  return {
    label,
    keyOf,
    missing: () => null,
    identity: (key) => keyIdentity(key, caseless),
    async load(keys) {
      const rows = await findByColumn(finder, keys, caseless);
      return keys.map((key) => rows.get(keyIdentity(key, caseless))?.[0] ?? null);
    },
  };
}

function manyRows<Input, M extends Model>(
  label: string,
  finder: Finder<M>,
  keyOf: (input: Input) => LoaderKey | undefined,
): LoaderDefinition<Input, M[]> {
  const caseless = isCaseless(finder);
  return {
    label,
    keyOf,
    missing: () => [],
    identity: (key) => keyIdentity(key, caseless),
    async load(keys) {
      const rows = await findByColumn(finder, keys, caseless);
      return keys.map((key) => rows.get(keyIdentity(key, caseless)) ?? []);
    },
  };
}

function keyFrom(instance: Model, attribute: string): LoaderKey | undefined {
  const value: unknown = instance.get(attribute);
  return isKey(value) ? value : undefined;
}

function assertKey(label: string, input: unknown, instanceOf?: string): LoaderKey {
  if (isKey(input)) return input;
  const or = instanceOf === undefined ? '' : ` or an instance of ${instanceOf}`;
  throw new OptionsError(`${label}: a key must be a value${or}, got ${echo(input)}.`);
}

function assertOptions<Options extends object>(
  label: string,
  options: Options,
  known: readonly string[],
): Options {
  if (!isRecord(options)) {
    throw new OptionsError(`${label}: options must be an object, got ${echo(options)}.`);
  }
  rejectUnknownKeys(label, options, known);
  return options;
}

function assertAttribute(label: string, model: ModelStatic<Model>, attribute: string): void {
  const attributes = Object.keys(model.getAttributes());
  if (attributes.includes(attribute)) return;
  throw new OptionsError(
    `${label}: ${model.name} has no attribute ${echo(attribute)}; it has ${attributes.join(', ')}.`,
  );
}

function primaryKeyOf(model: ModelStatic<Model>): string {
  const keys = model.primaryKeyAttributes;
  const [key] = keys;
  if (keys.length === 1 && key !== undefined) return key;
  throw new OptionsError(
    `byKey(${model.name}): the model has ${keys.length === 0 ? 'no' : 'a composite'} primary key; name an attribute.`,
  );
}

interface AssociationParts<Target extends Model> {
  readonly label: string;
  readonly source: ModelStatic<Model>;
  readonly target: ModelStatic<Target>;
  readonly foreignKey: string;
  readonly sourceKey: string;
  readonly targetKey: string;
  readonly scope: Readonly<Record<string, unknown>> | undefined;
}

function assertAssociation<Target extends Model>(
  kind: 'hasMany' | 'belongsTo',
  association: unknown,
): AssociationParts<Target> {
  const type = isRecord(association) ? association['associationType'] : undefined;
  const wanted = kind === 'hasMany' ? 'HasMany' : 'BelongsTo';
  if (type !== wanted) {
    const got = typeof type === 'string' ? `a ${type} association` : echo(association);
    throw new OptionsError(
      `${kind}(association, options): association must be a ${wanted} association such as Model.associations.name, got ${got}.`,
    );
  }
  const parts = association as AssociationParts<Target> & { as: string };
  return {
    label: `${kind}(${parts.source.name}.${parts.as})`,
    source: parts.source,
    target: parts.target,
    foreignKey: parts.foreignKey,
    sourceKey: parts.sourceKey,
    targetKey: parts.targetKey,
    scope: parts.scope,
  };
}
