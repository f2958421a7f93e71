import type { IncomingMessage } from 'node:http';
import { OptionsError, echo } from '../errors';
import { SESSION_KEYS, assertRequestId, type SessionOptions } from '../transport';
import { isRecord, rejectUnknownKeys } from '../validate';

/** Options of {@link freshReadsMiddleware}. */
export interface FreshReadsMiddlewareOptions<
  Request extends IncomingMessage = IncomingMessage,
> extends SessionOptions<Request> {
  /**
   * The id of the request being served, such as cls-rtracer's `id`: it names the operation, so that
   * a decision in a log can be joined to the request.
   *
   * Default: an id made here.
   */
  readonly requestId?: (request: Request) => unknown;
  /**
   * The name of the operation in decisions and write records.
   *
   * Default: the method and the path, `GET /users/7`. Never the query string, which holds values.
   */
  readonly name?: (request: Request) => string | undefined;
}

export function assertOptions(
  where: string,
  options: unknown,
): asserts options is FreshReadsMiddlewareOptions {
  if (!isRecord(options)) {
    throw new OptionsError(
      `${where}(reads, options): options must be an object, got ${echo(options)}.`,
    );
  }
  rejectUnknownKeys(where, options, ['requestId', 'name', ...SESSION_KEYS]);
  const { requestId, name } = options;
  assertRequestId(where, requestId);
  if (name !== undefined && typeof name !== 'function') {
    throw new OptionsError(
      `${where}: name must be a function of the request that returns the operation's name, got ${echo(name)}.`,
    );
  }
}
