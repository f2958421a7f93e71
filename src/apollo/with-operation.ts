import { OptionsError, echo } from '../errors';
import { partsOf } from '../fresh-reads';
import { noteContextOperation } from '../graphql';
import type { FreshReads } from '../handle';
import { Operation, currentOperation, runInOperation } from '../operation';
import { SessionTransport, resolveSession, type SessionOptions } from '../transport';
import { isRecord, rejectUnknownKeys } from '../validate';

/** Options of {@link withOperation}: what `freshReadsPlugin` was given, if it was given any of these. */
export type WithOperationOptions = Pick<SessionOptions<unknown>, 'cookie' | 'header'>;

/**
 * Runs your `context` function as part of the operation: what it writes (last seen, a session) is
 * seen by the resolvers, and its reads see what the client's token tells of. Apollo calls it before
 * any plugin, so without this it has no operation.
 *
 * ```ts
 * expressMiddleware(server, { context: withOperation(reads, async ({ req }) => ({ user: await login(req) })) })
 * ```
 *
 * @throws OptionsError when `reads` is no handle, `contextFn` no function, or for unknown options
 */
export function withOperation<Args extends unknown[], Context>(
  reads: FreshReads,
  contextFn: (...args: Args) => Context | Promise<Context>,
  options: WithOperationOptions = {},
): (...args: Args) => Promise<Context> {
  const parts = partsOf(reads, 'withOperation');
  if (typeof contextFn !== 'function') {
    throw new OptionsError(
      `withOperation(reads, contextFn): contextFn must be a function, got ${echo(contextFn)}.`,
    );
  }
  if (!isRecord(options)) {
    throw new OptionsError(
      `withOperation(reads, contextFn, options): options must be an object, got ${echo(options)}.`,
    );
  }
  rejectUnknownKeys('withOperation', options, ['cookie', 'header']);
  const sessions = new SessionTransport(
    parts,
    resolveSession('withOperation', options, parts.sessions.enabled),
  );
  return async (...args) => {
    const around = currentOperation();
    const operation = around ?? new Operation({ name: 'context', kind: 'request' });
    const header = headersOf(args[0]);
    // The plugin answers for the tokens; here they are only listened to.
    if (header && !parts.sessions.isClaimed(operation)) {
      await sessions.arrive({ request: args[0], header }, operation);
    }
    const context = await runInOperation(operation, () => contextFn(...args));
    return noteContextOperation(context, operation);
  };
}

/** The headers of the request that servers hand to a context function: `{ req }` with Node's own. */
function headersOf(given: unknown): ((name: string) => string | undefined) | undefined {
  if (!isRecord(given) || !isRecord(given['req'])) return undefined;
  const { headers } = given['req'];
  if (!isRecord(headers)) return undefined;
  return (name) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
}
