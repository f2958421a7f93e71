import { Model, QueryTypes, type Sequelize } from 'sequelize';
import {
  baseModelOf,
  internalsOf,
  type FinderOptions,
  type ModelInternals,
  type StatementOptions,
} from './internals';

const BASE = Model as unknown as ModelInternals;

/** As they were when this module was loaded: who puts others in their place wants those called. */
const { build, bulkBuild } = BASE;
const { get, set, toJSON, _initValues: initValues } = BASE.prototype;

/**
 * The options of a batch's finder without its list of attributes, where it is certain that the
 * instances come out the same without it.
 *
 * The text is made by then, and rows have the columns it names. Told the list, Sequelize copies
 * each row attribute by attribute, a quarter of what an instance costs; not told, it takes a row as
 * it came, and still looks at each value where the model has dates or booleans.
 *
 * One thing is given up: a value that is `undefined`, which only a type parser of the application's
 * own can make of a column, is then a key of `dataValues`. Its JSON text is the same.
 */
export function withoutAttributes(
  sequelize: Sequelize,
  options: StatementOptions | undefined,
): StatementOptions | undefined {
  const finder = (options ?? {}) as FinderOptions;
  const { type, model, raw, hasJoin } = finder;
  if (type !== QueryTypes.SELECT || !model || raw || hasJoin) return options;
  // Without quotes the server turns names to lower case.
  if (internalsOf(sequelize).options.quoteIdentifiers === false) return options;
  if (!isFilledBySequelize(sequelize, model) || !listsItsColumns(finder, model)) return options;
  const lean: FinderOptions = { ...options, attributes: undefined, originalAttributes: undefined };
  return lean;
}

/** Whether nobody looks at the list, or at single values, while instances are made and read. */
function isFilledBySequelize(sequelize: Sequelize, model: ModelInternals): boolean {
  const { prototype, _hasDateAttributes: dates, _hasBooleanAttributes: booleans } = model;
  if (baseModelOf(sequelize) !== BASE || prototype._hasCustomGetters > 0) return false;
  // A type of the application's own that puts values in order.
  const sanitized = Object.keys(model._dataTypeSanitizers).length > 0;
  if (sanitized && !dates && !booleans) return false;
  return (
    model.build === build &&
    model.bulkBuild === bulkBuild &&
    prototype.get === get &&
    prototype.set === set &&
    prototype.toJSON === toJSON &&
    prototype._initValues === initValues &&
    isMadeBySequelize(model)
  );
}

/** By class: whether it leaves construction, and the options of its instances, to Sequelize. */
const leftToSequelize = new WeakMap<object, boolean>();

function isMadeBySequelize(model: object): boolean {
  for (
    let at: object | null = model;
    at !== BASE;
    at = Object.getPrototypeOf(at) as object | null
  ) {
    if (!at) return false;
    let left = leftToSequelize.get(at);
    if (left === undefined) {
      left = leavesItToSequelize(Function.prototype.toString.call(at));
      leftToSequelize.set(at, left);
    }
    if (!left) return false;
  }
  return true;
}

/**
 * Whether the text is that of a class without a constructor, in which nothing names the member that
 * holds an instance's options. The word is no constructor's only after a dot; `\u` may spell it.
 */
function leavesItToSequelize(text: string): boolean {
  return text.startsWith('class') && !/(?<!\.)\bconstructor\b|\b_options\b|\\u/.test(text);
}

/** Whether a row has what the list names, all of it and in the same order. */
function listsItsColumns(
  { attributes, originalAttributes }: FinderOptions,
  { _virtualAttributes: virtual }: ModelInternals,
): boolean {
  // Only finders have both; with a text of the application's own the list may say anything.
  if (!Array.isArray(attributes) || !Array.isArray(originalAttributes)) return false;
  const columns = attributes.map(nameOf);
  const names = columns.join();
  return (
    PLAIN_NAMES.test(names) &&
    names ===
      originalAttributes
        .filter((one) => !virtual.has(one))
        .map(nameOf)
        .join() &&
    !columns.some((name) => virtual.has(name))
  );
}

/** Of what rows have by these names: longer ones the server cuts off, others may be many columns. */
const PLAIN_NAMES = /^\w{1,63}(,\w{1,63})*$/;

function nameOf(attribute: unknown): unknown {
  return Array.isArray(attribute) ? attribute[1] : attribute;
}
