import { getOperationAST, type GraphQLSchema } from 'graphql';
import { partsOf } from '../fresh-reads';
import { CollectedDecisions, assertPluginOptions, setOperation, wrapResolvers } from '../graphql';
import type { FreshReads } from '../handle';
import { Operation, currentOperation } from '../operation';
import { SessionTransport, namedBy, resolveSession, type SessionOptions } from '../transport';
import type { Execute, ExecutionArgs, FetchRequest, FreshReadsEnvelopPlugin } from './peers';
import { isRequest, noteExecution, serveAsRequest, withTokens } from './requests';
import { runExecution } from './results';

/** Options of {@link useFreshReads}. Those of sessions are for Yoga, which knows of HTTP. */
export interface UseFreshReadsOptions extends SessionOptions<FetchRequest> {
  /**
   * Adds `extensions.freshReads.decisions[]` (`{ tables, target, node, reason, resolver }`) to each
   * result; to deferred parts those that came with them. It shows table names to clients: not for
   * production.
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

const WHERE = 'useFreshReads';

/**
 * Opens an operation around each GraphQL operation that Yoga or Envelop executes: its reads see its
 * own writes, each operation of an HTTP batch keeps its history to itself, and so does each event of
 * a subscription. With Yoga the `context` function belongs to the operation, and session tokens
 * travel. Inside another operation it is a part of that one.
 *
 * @throws OptionsError when `reads` is no handle, for unknown options and bad values, and later for
 *   a `@freshness` in the schema that makes no sense
 */
export function useFreshReads(
  reads: FreshReads,
  options: UseFreshReadsOptions = {},
): FreshReadsEnvelopPlugin {
  const parts = partsOf(reads, WHERE);
  assertPluginOptions(WHERE, options);
  const { requestId } = options;
  const sessions = new SessionTransport<FetchRequest>(
    parts,
    resolveSession(WHERE, options, parts.sessions.enabled),
  );
  const collected = options.exposeDecisions ? new CollectedDecisions(reads) : undefined;
  const wrapped = new WeakSet<GraphQLSchema>();

  const open = ({ document, operationName }: ExecutionArgs): Operation => {
    const ast = getOperationAST(document, operationName);
    const name = ast?.name?.value;
    return new Operation({
      ...namedBy(requestId?.()),
      ...(name !== undefined && { name }),
      kind: ast?.operation ?? 'query',
      follows: currentOperation(),
    });
  };

  const around =
    (execute: Execute, { events }: { events: boolean }): Execute =>
    (args) => {
      const outer = currentOperation();
      // A request that is served here is followed; whatever else is around it is joined.
      const operation = outer && !isRequest(outer) ? outer : open(args);
      const isOwn = operation !== outer;
      if (isOwn) noteExecution(operation);
      if (events && isObject(args.contextValue)) setOperation(args.contextValue, operation);
      let shown = 0;
      return runExecution(execute, args, {
        operation,
        events,
        end: () => {
          if (isOwn) operation.end();
        },
        change: (result) => {
          if (!collected || events) return result;
          const decisions = collected.of(operation).slice(shown);
          if (shown > 0 && decisions.length === 0) return result;
          shown += decisions.length;
          return { ...result, extensions: { ...result.extensions, freshReads: { decisions } } };
        },
      });
    };

  return {
    onSchemaChange({ schema }) {
      if (wrapped.has(schema)) return;
      wrapResolvers(schema);
      wrapped.add(schema);
    },
    onExecute(payload) {
      payload.setExecuteFn(around(payload.executeFn, { events: false }));
    },
    onSubscribe(payload) {
      payload.setSubscribeFn(around(payload.subscribeFn, { events: true }));
    },
    onRequest(payload) {
      const { requestHandler, fetchAPI } = payload;
      // The handlers of several plugins are nested: the operation that one opens, others are part of.
      payload.setRequestHandler((request, context) => {
        const handle = () => requestHandler(request, context);
        const carry = (operation: Operation) =>
          sessions.claim(operation) === 'first'
            ? withTokens(sessions, { request, operation, fetchAPI }, handle)
            : handle();
        const around = currentOperation();
        if (around) return carry(around);
        const operation = new Operation({
          ...namedBy(requestId?.()),
          name: 'context',
          kind: 'request',
        });
        return serveAsRequest(operation, () => carry(operation));
      });
    },
    onDispose() {
      collected?.dispose();
    },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
