import type { Model, ModelStatic } from 'sequelize';
import { OptionsError, echo } from '../errors';
import { isRecord } from '../validate';
import { refuseKey } from './codec';
import { Finder } from './finder';
import { KNOWN, checkOptions, isModel, type AnyOptions, type ListOptions } from './options';
import { ownColumns } from './place';
import { columnKey, common, keyType, manyRows, oneRow, shapeOf, takingShape } from './row-loader';
import type { KeyOf, KeyValue, LoaderDefinition, LoadKey, RowOf } from './types';

type NameOf<M extends Model> = Extract<keyof M['_attributes'], string>;

/** The type of a primary key: that of `id`, where the model has such an attribute. */
type PrimaryKeyOf<M extends Model> = 'id' extends keyof M['_attributes']
  ? KeyOf<M['_attributes']['id']>
  : KeyValue | Readonly<Partial<Record<NameOf<M>, KeyValue>>>;

type CompositeKeyOf<M extends Model, Name extends NameOf<M>> = {
  readonly [Part in Name]: KeyOf<M['_attributes'][Part]>;
};

type ByKeyOptions<
  M extends Model,
  Args,
  Raw extends boolean,
  Many extends boolean,
> = (Many extends true
  ? ListOptions<M, Args, Raw>
  : Omit<ListOptions<M, Args, Raw>, 'limit' | 'offset'>) & {
  /** `true` gives all rows of a key. Default `false`: the first one, or `null`. */
  readonly many?: Many;
};

type Found<M extends Model, Raw extends boolean, Many extends boolean> = Many extends true
  ? RowOf<M, Raw>[]
  : RowOf<M, Raw> | null;

/**
 * Loads rows by the primary key, by another attribute, or by several attributes (a key then is an
 * object of their values): one row a key, `null` when there is none, or with `many: true` all rows
 * of a key as an array.
 *
 * @throws OptionsError when `model` is no Sequelize model, has no such attribute, or for bad options
 */
export function byKey<
  M extends Model,
  Args = undefined,
  Raw extends boolean = false,
  Many extends boolean = false,
>(
  model: ModelStatic<M>,
  attribute?: undefined,
  options?: ByKeyOptions<M, Args, Raw, Many>,
): LoaderDefinition<PrimaryKeyOf<M>, Found<M, Raw, Many>, Args>;
export function byKey<
  M extends Model,
  Name extends NameOf<M>,
  Args = undefined,
  Raw extends boolean = false,
  Many extends boolean = false,
>(
  model: ModelStatic<M>,
  attribute: Name,
  options?: ByKeyOptions<M, Args, Raw, Many>,
): LoaderDefinition<KeyOf<M['_attributes'][Name]>, Found<M, Raw, Many>, Args>;
export function byKey<
  M extends Model,
  const Name extends NameOf<M>,
  Args = undefined,
  Raw extends boolean = false,
  Many extends boolean = false,
>(
  model: ModelStatic<M>,
  attributes: readonly [Name, ...Name[]],
  options?: ByKeyOptions<M, Args, Raw, Many>,
): LoaderDefinition<CompositeKeyOf<M, Name>, Found<M, Raw, Many>, Args>;
export function byKey(
  model: ModelStatic<Model>,
  attribute?: string | readonly string[],
  options: AnyOptions = {},
): LoaderDefinition<never, unknown, unknown> {
  if (!isModel(model)) {
    throw new OptionsError(
      `byKey(model, attribute, options): model must be a Sequelize model, got ${echo(model)}.`,
    );
  }
  assertNames(model, attribute);
  const named = typeof attribute === 'string' ? [attribute] : attribute;
  const names = named ?? model.primaryKeyAttributes;
  const list = named?.map((name) => `'${name}'`).join(', ');
  const label =
    list === undefined
      ? `byKey(${model.name})`
      : `byKey(${model.name}, ${typeof attribute === 'string' ? list : `[${list}]`})`;
  assertAttributes(label, model, names);
  const checked = checkOptions(label, options, [
    ...(options.many === true ? KNOWN.list : KNOWN.row),
    'many',
  ]);
  const base = common(model, label, checked);
  const finder = new Finder(base.label, ownColumns(model, names), checked);
  const [only] = names;
  const keyOf =
    names.length === 1 && only !== undefined
      ? columnKey(base.label, model, only)
      : compositeKey(base.label, model, names);
  if (checked.many) {
    return manyRows(
      base,
      shapeOf(model, checked, names.length === 1 ? only : undefined),
      keyOf,
      (keys, context) => finder.find(keys, context),
    );
  }
  const rows =
    names.length === 1 && only !== undefined ? takingShape(model, only, checked) : undefined;
  return oneRow(base, rows, keyOf, finder);
}

function compositeKey(
  label: string,
  model: ModelStatic<Model>,
  names: readonly string[],
): (value: unknown) => LoadKey {
  const parts = names.map((name) => ({ name, ...keyType(label, model, name) }));
  return (value) => {
    if (!isRecord(value)) {
      throw new OptionsError(
        `${label}: a key must be an object with ${names.join(' and ')}, got ${echo(value)}.`,
      );
    }
    const texts = parts.map(
      ({ name, codec, typeName }) =>
        codec.encode(value[name]) ?? refuseKey(`${label}, ${name}`, typeName, value[name]),
    );
    return { id: JSON.stringify(texts), value: texts };
  };
}

/** @throws OptionsError unless it is undefined, a name, or an array of some. */
function assertNames(model: ModelStatic<Model>, attribute: unknown): void {
  if (attribute === undefined || typeof attribute === 'string') return;
  if (Array.isArray(attribute) && attribute.length > 0) return;
  const hint = isRecord(attribute)
    ? ` Options are the third argument: byKey(${model.name}, undefined, { ... }) is the primary key with options.`
    : '';
  throw new OptionsError(
    `byKey(model, attribute, options): attribute must be a name, an array of names, or undefined for the primary key, got ${echo(attribute)}.${hint}`,
  );
}

function assertAttributes(
  label: string,
  model: ModelStatic<Model>,
  names: readonly string[],
): void {
  const attributes = Object.keys(model.getAttributes());
  if (names.length === 0) {
    throw new OptionsError(`${label}: the model has no primary key; name an attribute.`);
  }
  for (const name of names) {
    if (attributes.includes(name)) continue;
    throw new OptionsError(
      `${label}: ${model.name} has no attribute ${echo(name)}; it has ${attributes.join(', ')}.`,
    );
  }
}
