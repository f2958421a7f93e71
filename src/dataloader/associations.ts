import type { Association, Model } from 'sequelize';
import { assertAssociation, keyOrInstance } from './association';
import { Finder } from './finder';
import { joinedLater } from './later-includes';
import {
  KNOWN,
  checkOptions,
  type AnyOptions,
  type ListOptions,
  type RowOptions,
  type ThroughOptions,
} from './options';
import { ownColumns, throughRows } from './place';
import { common, manyRows, oneRow, shapeOf, takingShape } from './row-loader';
import type { KeyValue, LoaderDefinition, RowOf } from './types';

/**
 * Loads the rows of a hasMany association: by the source's key, or by the source itself. With
 * `limit` and `offset` each source has its own.
 *
 * @throws OptionsError when `association` is no hasMany, or for bad options
 */
export function hasMany<
  Source extends Model,
  Target extends Model,
  Args = undefined,
  Raw extends boolean = false,
>(
  association: Association<Source, Target> | undefined,
  options: ListOptions<Target, Args, Raw> = {},
): LoaderDefinition<KeyValue | Source, RowOf<Target, Raw>[], Args> {
  const parts = assertAssociation('hasMany', ['HasMany'], association);
  const { target, foreignKey, sourceKey, scope } = parts;
  const checked = checkOptions(parts.label, options as AnyOptions, KNOWN.list);
  const base = common(target, parts.label, checked);
  const finder = new Finder(base.label, ownColumns(target, [foreignKey], scope), checked);
  return manyRows(
    base,
    shapeOf(target, checked, foreignKey),
    keyOrInstance(base.label, parts, sourceKey, { model: target, attribute: foreignKey }),
    (keys, context) => finder.find(keys, context),
  );
}

/**
 * Loads the row of a hasOne association, or `null`: by the source's key, or by the source itself.
 * Of several the first by `order`.
 *
 * @throws OptionsError when `association` is no hasOne, or for bad options
 */
export function hasOne<
  Source extends Model,
  Target extends Model,
  Args = undefined,
  Raw extends boolean = false,
>(
  association: Association<Source, Target> | undefined,
  options: RowOptions<Target, Args, Raw> = {},
): LoaderDefinition<KeyValue | Source, RowOf<Target, Raw> | null, Args> {
  const parts = assertAssociation('hasOne', ['HasOne'], association);
  const { target, foreignKey, sourceKey, scope } = parts;
  const checked = checkOptions(parts.label, options as AnyOptions, KNOWN.row);
  const base = common(target, parts.label, checked);
  const finder = new Finder(base.label, ownColumns(target, [foreignKey], scope), checked);
  return oneRow(
    base,
    shapeOf(target, checked, foreignKey),
    keyOrInstance(base.label, parts, sourceKey, { model: target, attribute: foreignKey }),
    finder,
  );
}

/**
 * Loads the row that a belongsTo association points to, or `null`: by the foreign key, or by the
 * child itself. A null foreign key costs no query.
 *
 * @throws OptionsError when `association` is no belongsTo, or for bad options
 */
export function belongsTo<
  Source extends Model,
  Target extends Model,
  Args = undefined,
  Raw extends boolean = false,
>(
  association: Association<Source, Target> | undefined,
  options: RowOptions<Target, Args, Raw> = {},
): LoaderDefinition<KeyValue | Source | null | undefined, RowOf<Target, Raw> | null, Args> {
  const parts = assertAssociation('belongsTo', ['BelongsTo'], association);
  const { target, foreignKey, targetKey } = parts;
  const checked = checkOptions(parts.label, options as AnyOptions, KNOWN.row);
  const base = common(target, parts.label, checked);
  const finder = new Finder(base.label, ownColumns(target, [targetKey]), checked);
  const keyOf = keyOrInstance(base.label, parts, foreignKey, {
    model: target,
    attribute: targetKey,
  });
  return oneRow(
    base,
    takingShape(target, targetKey, checked),
    (input) => (input === null || input === undefined ? undefined : keyOf(input)),
    finder,
  );
}

/**
 * Loads the rows on the other side of a belongsToMany association: by the source's key, or by the
 * source itself. Each row has the row that links it under the name of the through model, so a row
 * linked to two sources is two instances.
 *
 * Included associations of several rows are read by a statement of their own, as with `separate`.
 *
 * @throws OptionsError when `association` is no belongsToMany, or for bad options
 */
export function belongsToMany<
  Source extends Model,
  Target extends Model,
  Args = undefined,
  Raw extends boolean = false,
>(
  association: Association<Source, Target> | undefined,
  options: ListOptions<Target, Args, Raw> & { readonly through?: ThroughOptions } = {},
): LoaderDefinition<KeyValue | Source, RowOf<Target, Raw>[], Args> {
  const parts = assertAssociation('belongsToMany', ['BelongsToMany'], association);
  const { target, through, foreignKey, sourceKey } = parts;
  const checked = checkOptions(parts.label, options as AnyOptions, [...KNOWN.list, 'through']);
  const base = common(target, parts.label, checked);
  const { now, addLater } = joinedLater(base.label, target, checked);
  const place = throughRows(parts, now);
  const finder = new Finder(base.label, place, now);
  return manyRows(
    base,
    undefined,
    keyOrInstance(base.label, parts, sourceKey, { model: through.model, attribute: foreignKey }),
    async (keys, context) => {
      const groups = await finder.find(keys, context);
      for (const rows of groups) place.part(rows);
      await addLater(groups, context.transaction);
      return groups;
    },
  );
}
