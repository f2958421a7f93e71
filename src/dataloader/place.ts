import type { Model, ModelStatic } from 'sequelize';
import { isRecord } from '../validate';
import type { AnyOptions } from './options';
import { keepOwnLink } from './own-link';
import type { KeyColumn } from './per-key';
import { conditions, hides, scopeOf, withAttribute } from './query';

/** A row as Sequelize gives it: an instance, or with `raw` a plain object. */
export type Row = Record<string, unknown> & { readonly dataValues?: Record<string, unknown> };

/** Where the keys of a loader stand, seen from the rows that it gives. */
export interface Place {
  /** The model of the rows. */
  readonly model: ModelStatic<Model>;
  readonly columns: readonly KeyColumn[];
  /** Conditions of the association itself. */
  readonly where: unknown;
  /** A query's options with its conditions; `extra` is an attribute to add. */
  build(model: ModelStatic<Model>, query: Query): Record<string, unknown>;
  /** Whether something else stands in the rows under the key's name: an alias wins in Sequelize. */
  hidesKey(model: ModelStatic<Model>, attributes: unknown): boolean;
  /** The key that a row belongs to, as the driver gave it. */
  keyOf(row: Row): unknown;
}

export interface Query {
  /** What the query has already; the rest is added to it. */
  readonly base: Record<string, unknown>;
  readonly attributes: unknown;
  /** An attribute to add to the rows; `undefined`: those that hold the key. */
  readonly extra: unknown;
  /** The condition on each of the place's columns, by attribute. */
  readonly keys: Record<string, unknown>;
  readonly where: readonly unknown[];
}

/** The keys stand in columns of the rows themselves. */
export function ownColumns(
  model: ModelStatic<Model>,
  attributes: readonly string[],
  where?: unknown,
): Place {
  const [first = ''] = attributes;
  return {
    model,
    columns: attributes.map((attribute) => ({ model, attribute })),
    where,
    build(target, { base, attributes: given, extra, keys, where: others }) {
      const scope = scopeOf(target);
      base['where'] = conditions(keys, scope.where, others);
      return selecting(withAttribute(given, scope.attributes, extra ?? first), base);
    },
    hidesKey: (target, given) => hides(given, first) || hides(scopeOf(target).attributes, first),
    keyOf: (row) => valueOf(row, first),
  };
}

/** The parts of a belongsToMany association that its rows are found by. */
export interface ThroughAssociation {
  readonly target: ModelStatic<Model>;
  readonly foreignKey: string;
  readonly scope?: unknown;
  readonly through: { readonly model: ModelStatic<Model>; readonly scope?: unknown };
  /** From a target to the row that links it. */
  readonly oneFromTarget: { readonly as: string };
}

/** Of rows that are found by the rows between. */
export interface ThroughPlace extends Place {
  /** To be done with the rows of each key: they share what their batch was read with. */
  part(rows: readonly Row[]): void;
}

/** The keys stand in the rows between: each row found has its own with it. */
export function throughRows(association: ThroughAssociation, options: AnyOptions): ThroughPlace {
  const { target, foreignKey, through, oneFromTarget } = association;
  const { where: throughWhere, attributes, paranoid } = options.through ?? {};
  const linkWhere = (keys: Record<string, unknown>) =>
    conditions(keys, scopeOf(through.model).where, [through.scope, throughWhere]);
  const keyOf = (row: Row): unknown => {
    const link = row[oneFromTarget.as];
    if (isRecord(link)) return valueOf(link, foreignKey);
    return row[`${oneFromTarget.as}.${foreignKey}`];
  };
  return {
    model: target,
    columns: [{ model: through.model, attribute: foreignKey }],
    where: association.scope,
    build(model, { base, attributes: given, extra, keys, where: others }) {
      const scope = scopeOf(model);
      const linkScope = scopeOf(through.model);
      const link: Record<string, unknown> = {
        association: oneFromTarget,
        required: true,
        where: linkWhere(keys),
      };
      const linkAttributes =
        attributes?.length === 0 && extra !== undefined
          ? attributes
          : withAttribute(attributes, linkScope.attributes, foreignKey);
      if (linkAttributes !== undefined) link['attributes'] = linkAttributes;
      if (paranoid !== undefined) link['paranoid'] = paranoid;
      const include = base['include'];
      const own = include === undefined ? [] : Array.isArray(include) ? include : [include];
      base['where'] = conditions({}, scope.where, others);
      base['include'] = [...(own as unknown[]), link];
      return selecting(
        extra === undefined ? given : withAttribute(given, scope.attributes, extra),
        base,
      );
    },
    hidesKey: () =>
      hides(attributes, foreignKey) || hides(scopeOf(through.model).attributes, foreignKey),
    keyOf,
    part(rows) {
      const [first] = rows;
      if (!first) return;
      keepOwnLink(rows, oneFromTarget.as, linkWhere({ [foreignKey]: keyOf(first) }));
    },
  };
}

/** Sequelize takes attributes that are `undefined` for none at all. */
function selecting(attributes: unknown, query: Record<string, unknown>): Record<string, unknown> {
  if (attributes !== undefined) query['attributes'] = attributes;
  return query;
}

/** The value itself, past getters of the model. */
export function valueOf(row: Row, attribute: string): unknown {
  return row.dataValues ? row.dataValues[attribute] : row[attribute];
}
