import { Model, type ModelStatic } from 'sequelize';
import { runRewriting } from '../operation';

const HOOKS = ['beforeFind', 'beforeFindAfterExpandIncludeAll', 'beforeFindAfterOptions'] as const;

interface Hooked {
  hasHook(name: (typeof HOOKS)[number]): boolean | undefined;
}

/**
 * Runs the finder for many keys, whose text `list` tells from the other queries of the batch.
 * `undefined` when it was given a limit or an offset on the way, as a hook of the model may do:
 * that counted for all keys together.
 */
export async function runAtOnce<T>(
  model: ModelStatic<Model>,
  list: string,
  find: () => Promise<T>,
): Promise<T | undefined> {
  if (!mayAddPage(model)) return find();
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

/** Whether code of the application sees the options of a finder, and may change them. */
function mayAddPage(model: ModelStatic<Model>): boolean {
  const hooked = [model, model.sequelize] as unknown as readonly (Hooked | undefined)[];
  return (
    model.findAll !== Model.findAll ||
    HOOKS.some((name) => hooked.some((owner) => owner?.hasHook(name)))
  );
}

function hasPage(options: unknown): boolean {
  const { limit, offset } = (options ?? {}) as { limit?: unknown; offset?: unknown };
  return (limit ?? undefined) !== undefined || Boolean(offset);
}
