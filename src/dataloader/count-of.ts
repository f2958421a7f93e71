import { Op, type Association, type Model } from 'sequelize';
import { assertAssociation, keyOrInstance } from './association';
import { isolateErrors } from './isolate-errors';
import { KNOWN, checkOptions, valueFor, type AnyOptions } from './options';
import type { BatchOptions, FilterOptions, ThroughOptions } from './options';
import { ORDINAL, runPerKey } from './per-key';
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
    load: (keys, { args, transaction }) =>
      isolateErrors(keys, transaction, async (some) => {
        const model = scoped(target, checked.scope);
        const where = [place.where, valueFor(label, 'where', checked.where, args)];
        const base = { transaction, ...(checked.paranoid === false && { paranoid: false }) };
        const texts = some.map(({ id }) => [String(id)]);
        const rows = await runPerKey(label, place.columns, texts, (marks) => {
          const query = place.build(model, {
            base,
            attributes: [],
            extra: marks.ordinal(),
            keys: { [foreignKey]: { [Op.eq]: marks.part(0) } },
            where,
          });
          // An empty list of groups makes Sequelize give all rows that come back, not the first.
          return model.count({ ...query, group: [] });
        });
        const counts = new Map(
          (rows as unknown as Record<string, unknown>[]).map((row) => [row[ORDINAL], row['count']]),
        );
        return some.map((_, index) => Number(counts.get(index + 1) ?? 0));
      }),
  };
}
