import { OptionsError, echo } from '../errors';
import { partsOf } from '../fresh-reads';
import type { FreshReads } from '../handle';
import { Operation, currentOperation, runInOperation } from '../operation';
import { noteContextOperation } from '../graphql';

/**
 * Runs your `context` function as part of the operation: what it writes (last seen, a session) is
 * seen by the resolvers. Apollo calls it before any plugin, so without this it has no operation.
 *
 * ```ts
 * expressMiddleware(server, { context: withOperation(reads, async ({ req }) => ({ user: await login(req) })) })
 * ```
 *
 * @throws OptionsError when `reads` is no handle or `contextFn` no function
 */
export function withOperation<Args extends unknown[], Context>(
  reads: FreshReads,
  contextFn: (...args: Args) => Context | Promise<Context>,
): (...args: Args) => Promise<Context> {
  partsOf(reads, 'withOperation');
  if (typeof contextFn !== 'function') {
    throw new OptionsError(
      `withOperation(reads, contextFn): contextFn must be a function, got ${echo(contextFn)}.`,
    );
  }
  return async (...args) => {
    const operation = currentOperation() ?? new Operation({ name: 'context', kind: 'request' });
    const context = await runInOperation(operation, () => contextFn(...args));
    return noteContextOperation(context, operation);
  };
}
