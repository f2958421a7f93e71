import { Op, literal, type Model, type ModelStatic, type Transaction } from 'sequelize';
import { OptionsError } from '../errors';
import { isRecord } from '../validate';
import { arrayText, codecOf } from './codec';
import { sequelizeOf } from './finder';
import type { AnyOptions } from './options';
import { valueOf, type Row } from './place';
import { scopeOf, scoped } from './query';

/** An include after Sequelize has worked it out. */
interface WorkedOut {
  readonly as: string;
  readonly required?: boolean;
  readonly hasMultiAssociation?: boolean;
  readonly association: { readonly isMultiAssociation: boolean };
}

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
    const several = worked.map(isOfSeveral);
    if (several.includes(true)) {
      assertCanWait(label, model, options, worked.filter(isOfSeveral));
      const later = list.filter((_, index) => several[index]);
      const names = worked.filter(isOfSeveral).map(({ as }) => as);
      const rest = list.filter((_, index) => !several[index]);
      return {
        now: { ...options, include: rest.length > 0 ? rest : undefined },
        addLater: (groups, transaction) => add(model, later, names, groups.flat(), transaction),
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

function isOfSeveral({ association, hasMultiAssociation }: WorkedOut): boolean {
  return association.isMultiAssociation || hasMultiAssociation === true;
}

function assertCanWait(
  label: string,
  { primaryKeyAttributes, name }: ModelStatic<Model>,
  { raw }: AnyOptions,
  includes: readonly WorkedOut[],
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
  names: readonly string[],
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
  for (const row of rows) {
    const source = byId.get(idOf(row));
    for (const name of names) {
      const value = source?.[name] ?? [];
      row[name] = value;
      if (row.dataValues) row.dataValues[name] = value;
    }
  }
}

/** Has Sequelize work out what each include means, on copies. */
function workOut(model: ModelStatic<Model>, list: readonly unknown[]): readonly WorkedOut[] {
  if (list.length === 0) return [];
  const inside = model as unknown as {
    _conformIncludes(options: object, self: unknown): void;
    _expandIncludeAll(options: object): void;
    _validateIncludedElements(options: object): { include: WorkedOut[] };
  };
  const options = { include: list.map(copy) };
  inside._conformIncludes(options, model);
  inside._expandIncludeAll(options);
  return inside._validateIncludedElements(options).include;
}

function copy(include: unknown): unknown {
  if (!isRecord(include) || Object.getPrototypeOf(include) !== Object.prototype) return include;
  const nested = include['include'];
  if (nested === undefined) return { ...include };
  return { ...include, include: Array.isArray(nested) ? nested.map(copy) : copy(nested) };
}
