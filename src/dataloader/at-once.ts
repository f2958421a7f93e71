import { runRewriting } from '../operation';

/**
 * Runs the finder for many keys, whose text `list` tells from the other queries of the batch.
 * `undefined` when it was given a limit or an offset on the way, as a hook of the model may do:
 * that counted for all keys together.
 */
export async function runAtOnce<T>(list: string, find: () => Promise<T>): Promise<T | undefined> {
  const seen = { page: false };
  const found = await runRewriting(
    (outer) => (sql, options) => {
      if (hasPage(options) && sql.includes(list)) seen.page = true;
      return outer(sql, options);
    },
    find,
  );
  return seen.page ? undefined : found;
}

function hasPage(options: unknown): boolean {
  const { limit, offset } = (options ?? {}) as { limit?: unknown; offset?: unknown };
  return (limit ?? undefined) !== undefined || Boolean(offset);
}
