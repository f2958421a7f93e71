import {
  defaultFieldResolver,
  isObjectType,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql';
import { runInFrame } from '../operation';
import { operationOf } from './contexts';

type Resolver = GraphQLFieldResolver<unknown, unknown>;

const wrapped = new WeakSet<Resolver>();

/**
 * Wraps every resolver written by hand, once, so that it runs in its operation and under its own
 * name. Fields without one are left alone: reading a property costs what it did.
 */
export function wrapResolvers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const resolve = field.resolve as Resolver | undefined;
      if (!resolve || resolve === defaultFieldResolver || wrapped.has(resolve)) continue;
      field.resolve = wrap(resolve, `${type.name}.${field.name}`);
    }
  }
}

function wrap(resolve: Resolver, name: string): Resolver {
  const ours: Resolver = function (this: unknown, source, args, contextValue, info) {
    const operation = operationOf(contextValue);
    if (!operation) return resolve.call(this, source, args, contextValue, info);
    return runInFrame({ operation, resolver: name, batch: undefined }, () =>
      resolve.call(this, source, args, contextValue, info),
    );
  };
  wrapped.add(ours);
  return ours;
}
