import { Op, literal, type Model, type ModelStatic, type Transaction } from 'sequelize';
import { OptionsError } from '../errors';
import type {
  IncludeInternals,
  IncludesInternals,
  IncludingInternals,
  InstanceInternals,
} from '../sequelize';
import { isRecord } from '../validate';
import { arrayText, codecOf } from './codec';
import { sequelizeOf } from './finder';
import { orderWithout } from './later-order';
import type { AnyOptions } from './options';
import { valueOf, type Row } from './place';
import { scopeOf, scoped } from './query';

interface Split {
  /** The options for the query of the rows. */
  readonly now: AnyOptions;
  /** Puts what was left out on the rows. */
  readonly addLater: (groups: readonly Row[][], transaction: Transaction | null) => Promise<void>;
}

/**
 * Takes includes of several rows out of the query of a belongsToMany. Beside one of those, separate
 * or not, Sequelize makes one instance of all rows with the same primary key: a row linked to two
 * sources would be found for one of them only.
 *
 * @throws OptionsError for includes that can't be taken out, since they also leave rows out
 */
export function joinedLater(label: string, model: ModelStatic<Model>, options: AnyOptions): Split {
  const given = options.include;
  const list: readonly unknown[] =
    given === undefined ? [] : Array.isArray(given) ? (given as unknown[]) : [given];
  const worked = workOut(model, list);
  if (list.length === worked.length) {
    const later = worked.filter(isOfSeveral);
    if (later.length > 0) {
      assertCanWait(label, model, options, later);
      const several = worked.map(isOfSeveral);
      const include = list.filter((_, index) => several[index]);
      const rest = list.filter((_, index) => !several[index]);
      const order = orderWithout(label, later, options.order);
      return {
        now: { ...options, order, include: rest.length > 0 ? rest : undefined },
        addLater: (groups, transaction) => add(model, include, groups.flat(), transaction),
      };
    }
  } else if (worked.some(isOfSeveral)) {
    throw new OptionsError(`${label}: name the included associations in place of "all".`);
  }
  return {
    now: options,
    addLater: async () => {
      const inScope = scopeOf(scoped(model, options.scope)).include ?? [];
      if (workOut(model, inScope).some(isOfSeveral)) {
        throw new OptionsError(
          `${label}: the scope includes an association of several rows, beside which Sequelize mixes up rows of different sources; give scope: false and the include as an option.`,
        );
      }
    },
  };
}

function isOfSeveral({ association, hasMultiAssociation }: IncludeInternals): boolean {
  return association.isMultiAssociation || hasMultiAssociation === true;
}

function assertCanWait(
  label: string,
  { primaryKeyAttributes, name }: ModelStatic<Model>,
  { raw }: AnyOptions,
  includes: readonly IncludeInternals[],
): void {
  for (const { as, required } of includes) {
    const why = required
      ? 'it is required, or has a where, which leaves rows out'
      : raw
        ? 'raw rows have no place for it'
        : primaryKeyAttributes.length !== 1
          ? `${name} has no primary key of one attribute`
          : undefined;
    if (why === undefined) continue;
    throw new OptionsError(`${label}: can't include ${JSON.stringify(as)}: ${why}.`);
  }
}

async function add(
  model: ModelStatic<Model>,
  include: readonly unknown[],
  rows: readonly Row[],
  transaction: Transaction | null,
): Promise<void> {
  const [key = ''] = model.primaryKeyAttributes;
  const codec = codecOf(model.getAttributes()[key]?.type);
  const idOf = (row: Row) => codec.encode(valueOf(row, key)) ?? '';
  const ids = [...new Set(rows.map(idOf))];
  if (ids.length === 0) return;
  const list = sequelizeOf(model).escape(arrayText(ids));
  const found = (await model.unscoped().findAll({
    attributes: [key],
    where: { [key]: { [Op.eq]: literal(`ANY(${list})`) } },
    include: include as never,
    paranoid: false,
    transaction,
  })) as unknown as Row[];
  const byId = new Map(found.map((row) => [idOf(row), row]));
  const later = workOut(model, include);
  for (const row of rows) {
    const source = byId.get(idOf(row));
    const instance = row.dataValues && (row as unknown as InstanceInternals);
    if (instance) instance._options = together(instance._options, later);
    for (const { as, association } of later) {
      const value = (source && valueOf(source, as)) ?? (association.isMultiAssociation ? [] : null);
      // Instances of its own: a row linked to two sources is two.
      if (instance) instance.set(as, value, { raw: true });
      else row[as] = value;
    }
  }
}

/** Without these Sequelize shows instances for plain objects, and forgets them when it reloads. */
function together(
  options: IncludesInternals,
  later: readonly IncludeInternals[],
): IncludesInternals {
  return {
    ...options,
    include: [...(options.include ?? []), ...later],
    includeNames: [...(options.includeNames ?? []), ...later.map(({ as }) => as)],
    includeMap: { ...options.includeMap, ...Object.fromEntries(later.map((one) => [one.as, one])) },
  };
}

/** Has Sequelize work out what each include means, on copies. */
function workOut(model: ModelStatic<Model>, list: readonly unknown[]): readonly IncludeInternals[] {
  if (list.length === 0) return [];
  const inside = model as unknown as IncludingInternals;
  const options = { include: list.map(copy) };
  inside._conformIncludes(options, model);
  inside._expandIncludeAll(options);
  return inside._validateIncludedElements(options).include ?? [];
}

function copy(include: unknown): unknown {
  if (!isRecord(include) || Object.getPrototypeOf(include) !== Object.prototype) return include;
  const nested = include['include'];
  if (nested === undefined) return { ...include };
  return { ...include, include: Array.isArray(nested) ? nested.map(copy) : copy(nested) };
}
