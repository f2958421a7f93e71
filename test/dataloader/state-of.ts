import type { Model } from 'sequelize';

interface Internals {
  readonly dataValues: object;
  readonly _previousDataValues: object;
  readonly _options: { readonly attributes?: readonly string[] };
}

const inside = (row: Model) => row as unknown as Internals;

/** All that a row's instance is, but for the options it was built with. */
export function stateOf(row: Model): object {
  const { dataValues, _previousDataValues: previous } = inside(row);
  return {
    constructor: row.constructor,
    values: dataValues,
    order: Object.keys(dataValues),
    previous,
    shared: previous === dataValues,
    got: row.get() as object,
    json: row.toJSON<object>(),
    changed: row.changed(),
    isNew: row.isNewRecord,
  };
}

/** The list of attributes that it was built with. */
export function listOf(row: Model): readonly string[] | undefined {
  return inside(row)._options.attributes;
}
