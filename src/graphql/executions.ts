import { OperationTypeNode, type GraphQLResolveInfo } from 'graphql';
import { Execution, Operation, currentOperation, type FieldFreshness } from '../operation';
import { operationOf } from './contexts';

type Path = GraphQLResolveInfo['path'];

/** One execution of a document, as its resolvers share it. */
export interface Executing {
  readonly operation: Operation;
  readonly execution: Execution;
  /** What `@freshness` says of the reads below a field, by the field's own path object. */
  readonly freshness: WeakMap<Path, FieldFreshness>;
}

const executions = new WeakMap<object, Executing>();

/** The execution that a resolver is called by: found again for each of its resolvers. */
export function executingOf(
  contextValue: unknown,
  info: GraphQLResolveInfo,
  root: Path,
  kind: 'resolve' | 'subscribe',
): Executing {
  const { operation } = info.operation;
  const isSubscription = operation === OperationTypeNode.SUBSCRIPTION;
  // Every event is executed anew, on the context value of the subscription and, by some executors,
  // with its variables as well; the path of its one root field is its own. The fields of a query
  // share their variables, which no other execution has.
  const key = isSubscription ? root : info.variableValues;
  let executing = executions.get(key);
  if (!executing) {
    executing = {
      // What subscribing wrote is known to the events, which follow its operation.
      operation:
        isSubscription && kind === 'resolve'
          ? eventOf(contextValue, info)
          : around(contextValue, info),
      execution: new Execution({ serial: operation === OperationTypeNode.MUTATION }),
      freshness: new WeakMap(),
    };
    executions.set(key, executing);
  }
  return executing;
}

/** The operation that this runs in, or that a plugin has opened; without either one of its own. */
function around(contextValue: unknown, info: GraphQLResolveInfo): Operation {
  return currentOperation() ?? operationOf(contextValue) ?? new Operation(describe(info));
}

/** An event starts with no history but that of whoever subscribed, and of what drew the event. */
function eventOf(contextValue: unknown, info: GraphQLResolveInfo): Operation {
  const follows = currentOperation() ?? operationOf(contextValue);
  return new Operation({ ...describe(info), follows });
}

function describe({ operation }: GraphQLResolveInfo) {
  const name = operation.name?.value;
  return { ...(name !== undefined && { name }), kind: operation.operation };
}
