import type { IncomingMessage, ServerResponse } from 'node:http';
import { partsOf } from '../fresh-reads';
import type { FreshReads } from '../handle';
import { Operation, currentOperation, runInOperation } from '../operation';
import { SessionTransport, namedBy, resolveSession } from '../transport';
import { beforeHeaders } from './before-headers';
import { assertOptions, type FreshReadsMiddlewareOptions } from './options';

/** What Express and Connect take, and what a handler of `node:http` can call. */
export type FreshReadsMiddleware<Request extends IncomingMessage = IncomingMessage> = (
  request: Request,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

const WHERE = 'freshReadsMiddleware';

/**
 * Opens an operation around each request: what the handlers behind it read sees what they wrote, and
 * what the same client wrote in its requests before, when the handle has a `sessionSecret`. Put it
 * before the handlers and the body parsers. Inside another operation a request is part of that one.
 *
 * ```ts
 * app.use(freshReadsMiddleware(reads));
 * ```
 *
 * @throws OptionsError when `reads` is no handle, for unknown options and bad values
 */
export function freshReadsMiddleware<Request extends IncomingMessage = IncomingMessage>(
  reads: FreshReads,
  options: FreshReadsMiddlewareOptions<Request> = {},
): FreshReadsMiddleware<Request> {
  const parts = partsOf(reads, WHERE);
  assertOptions(WHERE, options);
  const { requestId, name = nameOf } = options;
  const sessions = new SessionTransport<Request>(
    parts,
    resolveSession(WHERE, options, parts.sessions.enabled),
  );

  const open = (request: Request): Operation => {
    const title = name(request);
    return new Operation({
      ...namedBy(requestId?.(request)),
      ...(title ? { name: title } : {}),
      kind: 'request',
    });
  };

  return (request, response, next) => {
    const around = currentOperation();
    const operation = around ?? open(request);
    const proceed = around ? next : () => runInOperation(operation, next);
    if (!around) {
      const end = () => operation.end();
      response.once('finish', end);
      // Also without a finish, when the client has gone away.
      response.once('close', end);
      bindEvents(request, operation);
    }
    // A door of another handle around it carries that one's tokens only.
    if (sessions.claim(operation) !== 'first') {
      proceed();
      return;
    }
    const header = (field: string) => request.headers[field]?.toString();
    void sessions.arrive({ request, header }, operation).then((visit) => {
      beforeHeaders(
        response,
        () => sessions.leaveAtOnce(visit, operation) ?? sessions.leave(visit, operation),
      );
      proceed();
    });
  };
}

/** Express and Connect take the mount path off `url` and keep the whole in `originalUrl`. */
function nameOf(request: IncomingMessage & { readonly originalUrl?: unknown }): string {
  const { method, url, originalUrl } = request;
  const whole = typeof originalUrl === 'string' ? originalUrl : (url ?? '');
  return `${method} ${whole.replace(/[?#].*$/s, '')}`;
}

/**
 * Node emits the events of a request in the context of its connection, so a parser that calls back
 * from them would take the handlers out of their operation.
 */
function bindEvents(request: IncomingMessage, operation: Operation): void {
  const emit = request.emit.bind(request) as (...args: unknown[]) => boolean;
  request.emit = (...args: unknown[]) =>
    currentOperation() ? emit(...args) : runInOperation(operation, () => emit(...args));
}
