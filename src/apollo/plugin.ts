import { partsOf } from '../fresh-reads';
import type { FreshReads } from '../handle';
import { Operation, currentOperation } from '../operation';
import {
  SessionTransport,
  namedBy,
  resolveSession,
  type Outgoing,
  type SessionOptions,
  type Visit,
} from '../transport';
import {
  CollectedDecisions,
  assertPluginOptions,
  contextOperation,
  operationOf,
  setOperation,
  wrapResolvers,
  type ShownDecision,
} from '../graphql';
import type { AnsweredRequest, OperationPlugin, ResolvedRequest } from './plugin-type';

/** Options of {@link freshReadsPlugin}. Those of sessions are for requests over HTTP. */
export interface FreshReadsPluginOptions extends SessionOptions<ResolvedRequest> {
  /**
   * Adds `extensions.freshReads.decisions[]` (`{ tables, target, node, reason, resolver }`) to each
   * response. It shows table names to clients: not for production.
   *
   * Default false.
   */
  readonly exposeDecisions?: boolean;
  /**
   * The id of the request being served, such as cls-rtracer's `id`: it names the operation, so that
   * a decision in a log can be joined to the request.
   *
   * Default: an id made here.
   */
  readonly requestId?: () => unknown;
}

/**
 * Opens an operation around each GraphQL operation that Apollo Server executes: its reads see its
 * own writes, and each operation of an HTTP batch keeps its history to itself.
 *
 * @throws OptionsError when `reads` is no handle, for unknown options and bad values
 */
export function freshReadsPlugin(
  reads: FreshReads,
  options: FreshReadsPluginOptions = {},
): OperationPlugin {
  const parts = partsOf(reads, 'freshReadsPlugin');
  assertPluginOptions('freshReadsPlugin', options);
  const sessions = new SessionTransport<ResolvedRequest>(
    parts,
    resolveSession('freshReadsPlugin', options, parts.sessions.enabled),
  );
  const collected = options.exposeDecisions ? new CollectedDecisions(reads) : undefined;

  return {
    async serverWillStart({ schema }) {
      // A database that is down now may be up at the first request: every read is safe meanwhile.
      await reads.ready().catch(() => undefined);
      wrapResolvers(schema);
      return {
        schemaDidLoadOrUpdate: ({ apiSchema }) => wrapResolvers(apiSchema),
        serverWillStop: async () => collected?.dispose(),
      };
    },

    async requestDidStart() {
      let operation: Operation | undefined;
      let end: (() => void) | undefined;
      let visit: Visit | undefined;
      return {
        async didResolveOperation(context) {
          // Inside a job or a request of the application's own it is a part of that one, and what the
          // plugin of another handle has opened for this execution is shared with it.
          const around = currentOperation() ?? operationOf(context.contextValue);
          operation = around ?? open(context, options.requestId);
          end = around ? undefined : () => operation?.end();
          setOperation(context.contextValue, operation);
          const { http } = context.request;
          // A middleware of this handle around it carries the tokens of all that the request does.
          if (!http || !sessions.claim(operation)) return;
          const header = (name: string) => http.headers.get(name);
          visit = await sessions.arrive({ request: context, header }, operation);
        },
        async willSendResponse(context) {
          // Also called for requests whose operation never opened: validation errors and the like.
          if (operation && collected) expose(context, collected.of(operation));
          if (operation && visit) addHeaders(context, await sessions.leave(visit, operation));
          end?.();
        },
      };
    },
  };
}

/** The operations of an HTTP batch share one response, and other plugins set cookies as well. */
function addHeaders({ response }: AnsweredRequest, { setCookie, headers }: Outgoing): void {
  const all = response.http.headers;
  for (const [name, value] of headers) {
    const others = all.get(name);
    all.set(name, others === undefined ? value : `${others}, ${value}`);
  }
  if (setCookie.length === 0) return;
  const others = all.get('set-cookie') as string | readonly string[] | undefined;
  const list = [...(others === undefined ? [] : [others].flat()), ...setCookie];
  // Typed for one value a header, which is too few for cookies. The servers hand it on to Node's
  // setHeader, which takes several.
  all.set('set-cookie', list as unknown as string);
}

function open(request: ResolvedRequest, requestId: (() => unknown) | undefined): Operation {
  const { operationName, contextValue } = request;
  return new Operation({
    ...namedBy(requestId?.()),
    ...(operationName ? { name: operationName } : {}),
    kind: request.operation?.operation ?? 'query',
    follows: contextOperation(contextValue),
  });
}

function expose({ response }: AnsweredRequest, decisions: readonly ShownDecision[]): void {
  const result =
    response.body.kind === 'single' ? response.body.singleResult : response.body.initialResult;
  result.extensions = {
    ...result.extensions,
    freshReads: { decisions },
  };
}
