import type { StatementOptions } from './internals';
import type { Statement } from './statement';

/** Sequelize copies the options it is given, symbol keys and all, before any hook sees them. */
const STATEMENT = Symbol('sequelize-fresh-reads.statement');

interface Carrier {
  [STATEMENT]?: Statement;
}

/**
 * Options to call Sequelize's `query` with, from which the hooks find the statement again.
 *
 * The caller's own object is never changed: it may be frozen, or in use for another call. A copy of it
 * carries the statement. But what a finder passes on has some thirty members, and to copy them costs
 * more than all the rest of routing; it also has a list of tables, made by Sequelize for this one call
 * and kept by identity in every copy, and that can carry it as well.
 */
export function carrying(options: StatementOptions | undefined, statement: Statement): unknown {
  const list = options?.tableNames;
  if (!Array.isArray(list) || Object.hasOwn(list, STATEMENT) || !Object.isExtensible(list)) {
    return { ...options, [STATEMENT]: statement };
  }
  (list as Carrier)[STATEMENT] = statement;
  return options;
}

/** The statement that a hook was called for; `undefined` when it did not come through our `query`. */
export function carriedBy(options: StatementOptions): Statement | undefined {
  return (
    (options as Carrier)[STATEMENT] ?? (options.tableNames as Carrier | undefined)?.[STATEMENT]
  );
}
