import { injectReplacements } from 'sequelize/lib/utils/sql';
import type { SequelizeInternals, StatementOptions } from './internals';

/**
 * The text as the server will see it, apart from values: named parameters in place, since `:id` and
 * `$id` are not SQL. `undefined` where Sequelize itself is about to refuse the call.
 */
export function finalText(
  sequelize: SequelizeInternals,
  sql: unknown,
  options: StatementOptions | undefined,
): string | undefined {
  if (typeof sql === 'string' && !options?.replacements && !options?.bind) return sql;
  const given: { query?: unknown; values?: unknown; bind?: unknown } =
    typeof sql === 'object' && sql !== null ? sql : { query: sql };
  const text = given.query;
  if (typeof text !== 'string') return undefined;
  const replacements: unknown = given.values ?? options?.replacements;
  const bind: unknown = given.bind ?? options?.bind;
  try {
    if (replacements)
      return injectReplacements(text, sequelize.dialect as never, replacements as never);
    if (bind && !Array.isArray(bind)) {
      const { Query, name } = sequelize.dialect;
      return Query.formatBindParameters(text, bind, name)[0];
    }
  } catch {
    return undefined;
  }
  return text;
}
