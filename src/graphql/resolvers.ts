import {
  defaultFieldResolver,
  isIntrospectionType,
  isObjectType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import { currentFrame, runInExactFrame, type FieldFreshness } from '../operation';
import { executingOf, type Executing } from './executions';
import { readFreshness } from './freshness';

type Resolver = GraphQLFieldResolver<unknown, unknown>;
type Path = GraphQLResolveInfo['path'];

const wrapped = new WeakSet<Resolver>();

/**
 * Wraps every resolver written by hand, once, so that it runs in its operation and under its own
 * name. Fields without one are left alone (but for those with a `@freshness`): reading a property
 * costs what it did.
 *
 * @throws OptionsError for a `@freshness` that makes no sense
 */
export function wrapResolvers(schema: GraphQLSchema): void {
  const freshnessOf = readFreshness(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      wrapField(field, `${type.name}.${field.name}`, {
        own: freshnessOf?.(field),
        inherits: freshnessOf !== undefined,
      });
    }
  }
}

interface Declared {
  readonly own: FieldFreshness | undefined;
  /** Whether a field above may have said something. */
  readonly inherits: boolean;
}

function wrapField(field: GraphQLField<unknown, unknown>, name: string, declared: Declared): void {
  const { resolve = defaultFieldResolver, subscribe } = field;
  if ((resolve !== defaultFieldResolver || declared.own) && !wrapped.has(resolve)) {
    field.resolve = wrap(resolve, name, 'resolve', declared);
  }
  if (subscribe && !wrapped.has(subscribe))
    field.subscribe = wrap(subscribe, name, 'subscribe', declared);
}

function wrap(
  resolve: Resolver,
  resolver: string,
  kind: 'resolve' | 'subscribe',
  { own, inherits }: Declared,
): Resolver {
  const ours: Resolver = function (this: unknown, source, args, contextValue, info) {
    const root = rootOf(info.path);
    const executing = executingOf(contextValue, info, root, kind);
    if (own) executing.freshness.set(info.path, own);
    const { asked, feedsWrite } = currentFrame();
    const frame = {
      operation: executing.operation,
      resolver,
      field: executing.execution.field(String(root.key)),
      freshness: own ?? (inherits ? freshnessAbove(info.path, executing) : undefined),
      batch: undefined,
      asked,
      feedsWrite,
    };
    return runInExactFrame(frame, () => resolve.call(this, source, args, contextValue, info));
  };
  wrapped.add(ours);
  return ours;
}

function rootOf(path: Path): Path {
  let root = path;
  while (root.prev) root = root.prev;
  return root;
}

/** The nearest one: path objects are shared by all that lies below them. */
function freshnessAbove({ prev }: Path, { freshness }: Executing): FieldFreshness | undefined {
  for (let path = prev; path; path = path.prev) {
    const found = freshness.get(path);
    if (found) return found;
  }
  return undefined;
}
