import type { Operation } from '../operation';

/** Carries the operation of a context function on the context it made, through Apollo's clones. */
const MADE_IN = Symbol('sequelize-fresh-reads.context-operation');

// Apollo clones the context value for every operation it executes, so that object is the one thing
// that belongs to a single execution and that each resolver is given.
const byContext = new WeakMap<object, Operation>();

export function operationOf(contextValue: unknown): Operation | undefined {
  return isObject(contextValue) ? byContext.get(contextValue) : undefined;
}

export function setOperation(contextValue: object, operation: Operation): void {
  byContext.set(contextValue, operation);
}

/** The operation that the context function ran in, if it was wrapped by `withOperation`. */
export function contextOperation(contextValue: object): Operation | undefined {
  return (contextValue as { [MADE_IN]?: Operation })[MADE_IN];
}

/** The same context, with a note (that survives a shallow clone) of the operation that made it. */
export function noteContextOperation<Context>(context: Context, operation: Operation): Context {
  if (!isObject(context)) return context;
  if (!Object.isExtensible(context)) return { ...context, [MADE_IN]: operation };
  return Object.assign(context, { [MADE_IN]: operation });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
