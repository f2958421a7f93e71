import { QueryTypes, type Sequelize } from 'sequelize';
import { baseModelOf, type FinderOptions, type StatementOptions } from './internals';

/**
 * The options of a batch's finder without its list of attributes, where the instances come out the
 * same without it.
 *
 * The text is made by then, and rows have the columns it names. Told the list, Sequelize copies
 * each row attribute by attribute, a quarter of what an instance costs; not told, it takes a row as
 * it came, and still looks at each value where the model has dates or booleans. Getters of the model
 * want the list: `get` runs those in it.
 */
export function withoutAttributes(
  sequelize: Sequelize,
  options: StatementOptions | undefined,
): StatementOptions | undefined {
  const { type, model, raw, hasJoin } = (options ?? {}) as FinderOptions;
  if (type !== QueryTypes.SELECT || !model || raw || hasJoin) return options;
  const { prototype, _hasDateAttributes: dates, _hasBooleanAttributes: booleans } = model;
  if (prototype._hasCustomGetters > 0) return options;
  if (prototype.set !== baseModelOf(sequelize).prototype.set) return options;
  // A type of the application's own that puts values in order.
  const sanitized = Object.keys(model._dataTypeSanitizers).length > 0;
  if (sanitized && !dates && !booleans) return options;
  const lean: FinderOptions = { ...options, attributes: undefined, originalAttributes: undefined };
  return lean;
}
