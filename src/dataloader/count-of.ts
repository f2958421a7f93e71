import { Op, type Association, type Model } from 'sequelize';
import { assertAssociation, keyOrInstance } from './association';
import { KNOWN, checkOptions, valueFor, type AnyOptions } from './options';
import type { BatchOptions, FilterOptions, ThroughOptions } from './options';
import { ORDINAL, keyPart, ordinalAttribute, runPerKey } from './per-key';
import { ownColumns, throughRows } from './place';
import { scoped } from './query';
import { common } from './row-loader';
import type { KeyValue, LoaderDefinition } from './types';

/**
 * Loads how many rows a hasMany or belongsToMany association has: by the source's key, or by the
 * source itself.
 *
 * @throws OptionsError when `association` is neither, or for bad options
 */
export function countOf<Source extends Model, Target extends Model, Args = undefined>(
  association: Association<Source, Target> | undefined,
  options: FilterOptions<Target, Args> & BatchOptions & { readonly through?: ThroughOptions } = {},
): LoaderDefinition<KeyValue | Source, number, Args> {
  const parts = assertAssociation('countOf', ['HasMany', 'BelongsToMany'], association);
  const { target, foreignKey, sourceKey } = parts;
  const linked = parts.associationType === 'BelongsToMany';
  const checked = checkOptions(
    parts.label,
    options as AnyOptions,
    linked ? [...KNOWN.filter, 'through'] : KNOWN.filter,
  );
  const base = common(target, parts.label, checked);
  const { label } = base;
  const place = linked
    ? throughRows(parts, { ...checked, through: { ...checked.through, attributes: [] } })
    : ownColumns(target, [foreignKey], parts.scope);
  const column = place.columns[0] ?? { model: target, attribute: foreignKey };
  return {
    ...base,
    rows: undefined,
    keyOf: keyOrInstance(label, parts, sourceKey, column),
    missing: () => 0,
    async load(keys, { args, transaction }) {
      const query = place.build(scoped(target, checked.scope), {
        base: { transaction, ...(checked.paranoid === false && { paranoid: false }) },
        attributes: [],
        extra: ordinalAttribute,
        keys: { [foreignKey]: { [Op.eq]: keyPart(0) } },
        where: [place.where, valueFor(label, 'where', checked.where, args)],
      });
      const rows = await runPerKey(
        label,
        place.columns,
        keys.map(({ id }) => [id]),
        // An empty list of groups makes Sequelize give all rows that come back, not the first.
        () => scoped(target, checked.scope).count({ ...query, group: [] }),
      );
      const counts = new Map(
        (rows as unknown as Record<string, unknown>[]).map((row) => [row[ORDINAL], row['count']]),
      );
      return keys.map((_, index) => Number(counts.get(index + 1) ?? 0));
    },
  };
}
