import { Op, type Model, type ModelStatic, type Transaction } from 'sequelize';
import { isRecord } from '../validate';
import { valueFor, type AnyOptions, type ScopeOption } from './options';

/** What Sequelize keeps of the scope that a model class stands for. */
interface Scope {
  readonly where?: unknown;
  readonly attributes?: unknown;
  readonly include?: readonly unknown[];
  readonly limit?: unknown;
  readonly offset?: unknown;
}

/** The model under the scope that the options ask for. Made anew each time: scopes may be functions. */
export function scoped(
  model: ModelStatic<Model>,
  scope: ScopeOption | undefined,
): ModelStatic<Model> {
  if (scope === undefined) return model;
  return scope === false ? model.unscoped() : model.scope(scope);
}

export function scopeOf(model: ModelStatic<Model>): Scope {
  return (model as unknown as { _scope?: Scope })._scope ?? {};
}

/**
 * Conditions under which the key's own stays in force. It stands by its name at the top, where
 * hooks see it and nothing else is. Sequelize lets a query's conditions replace those of the scope
 * of the same name, and all that the scope has under Op.and: where ours would, the scope's
 * conditions are repeated beside ours.
 */
export function conditions(
  keys: Record<PropertyKey, unknown>,
  scope: unknown,
  others: readonly unknown[],
): Record<PropertyKey, unknown> {
  const all: unknown[] = others.filter((part) => part !== undefined && part !== null);
  if (scope !== undefined && overlaps(scope, keys)) all.unshift(scope);
  return all.length === 0 ? keys : { ...keys, [Op.and]: all };
}

function overlaps(scope: unknown, keys: Readonly<Record<string, unknown>>): boolean {
  if (!isRecord(scope) || Object.getPrototypeOf(scope) !== Object.prototype) return true;
  return Reflect.ownKeys(scope).some((name) => name === Op.and || name in keys);
}

/**
 * Attributes with one more among them; what was named otherwise (`undefined`: all) stays as it is.
 * Sequelize joins lists with those of the scope, and lets anything else replace the scope's list.
 */
export function withAttribute(given: unknown, scope: unknown, extra: unknown): unknown {
  if (given === undefined && scope === undefined && typeof extra === 'string') return undefined;
  if (Array.isArray(given)) return given.includes(extra) ? given : [...(given as unknown[]), extra];
  if (given === undefined && Array.isArray(scope)) return [extra];
  const { exclude, include }: Projection = isRecord(given) ? given : {};
  const excludedByScope = isRecord(scope) ? ((scope as Projection).exclude ?? []) : [];
  const named = include?.includes(extra) ?? false;
  const kept = exclude?.filter((name) => name !== extra);
  const missing = typeof extra !== 'string' || excludedByScope.includes(extra);
  if (named || (!missing && kept?.length === exclude?.length)) return given;
  return {
    ...(isRecord(given) ? given : {}),
    ...(kept && { exclude: kept }),
    ...(missing && { include: [...(include ?? []), extra] }),
  };
}

/** Whether the attributes give something else under `name`, or may: what a literal gives is not known. */
export function hides(attributes: unknown, name: string): boolean {
  const list = isRecord(attributes) ? (attributes as Projection).include : attributes;
  return (
    Array.isArray(list) &&
    list.some((item: unknown) =>
      Array.isArray(item) ? item[1] === name : typeof item !== 'string',
    )
  );
}

/** Whether the attributes have `name` among them without our adding it. */
export function selects(attributes: unknown, name: string): boolean {
  if (Array.isArray(attributes)) return attributes.includes(name);
  const { exclude }: Projection = isRecord(attributes) ? attributes : {};
  return !exclude?.includes(name);
}

interface Projection {
  readonly exclude?: readonly unknown[];
  readonly include?: readonly unknown[];
}

/** The options that a query of rows has for some arguments, without attributes and conditions. */
export function rowQuery(
  label: string,
  options: AnyOptions,
  args: unknown,
  transaction: Transaction | null,
): Record<string, unknown> {
  const order = valueFor(label, 'order', options.order, args);
  const query: Record<string, unknown> = { transaction, rejectOnEmpty: false };
  if (order !== undefined) query['order'] = order;
  if (options.include !== undefined) query['include'] = options.include;
  if (options.paranoid !== undefined) query['paranoid'] = options.paranoid;
  if (options.raw !== undefined) query['raw'] = options.raw;
  return query;
}

/** How many rows a key may have: what the options say, or else the scope. */
export interface Page {
  readonly limit: unknown;
  readonly offset: unknown;
}

/** `undefined` when every row counts. */
export function pageOf(
  label: string,
  options: AnyOptions,
  scope: Scope,
  args: unknown,
): Page | undefined {
  const limit = valueFor(label, 'limit', options.limit, args) ?? scope.limit ?? undefined;
  const offset = valueFor(label, 'offset', options.offset, args) ?? scope.offset ?? undefined;
  return limit === undefined && !offset ? undefined : { limit, offset };
}
