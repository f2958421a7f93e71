import { AsyncLocalStorage } from 'node:async_hooks';
import type { Field } from './field';
import type { Operation } from './operation';

/** Holds for a block of code for as long as its promise is pending, not for what it left running. */
export interface Ending {
  active: boolean;
}

/** A node that a block of code asked for. */
export interface Asked extends Ending {
  readonly target: 'primary' | 'replica';
}

/** From the text of a query, and the options it was sent with, to the text in its final form. */
export type Rewrite = (sql: string, options: unknown) => string;

/** What is read somewhere, of which more may become known. */
export interface TableSource {
  /** Adds the tables known so far to `into`. Gives `false` when some may be missing. */
  collect(into: Set<string>, visited: Set<TableSource>): boolean;
}

/** One batch of a loader, as long as its load function runs. */
export interface Batch {
  /** The resolvers of all its keys. */
  readonly resolvers: readonly string[];
  /** The top-level fields that its keys were asked for under; `undefined` for a key under none. */
  readonly fields: readonly (Field | undefined)[];
  /**
   * Told of every statement of the batch, with a function that gives the tables it reads, or
   * `undefined` when they are not known: a look that is worth its time only after a write.
   */
  onRead(tables: () => readonly string[] | undefined): void;
  /** Told of every loader that the batch asks in its turn, also for what that one has cached. */
  onLoad(tables: TableSource): void;
  /** Puts the text of one of the batch's queries in its final form, before anything looks at it. */
  readonly rewrite?: Rewrite;
}

/** What a GraphQL field says of the reads below it. */
export interface FieldFreshness {
  /** `fresh`: the normal rule. */
  readonly read: 'fresh' | 'primary' | 'replica';
  /** The most that a replica may be behind, in milliseconds; `undefined`: no bound. */
  readonly maxLagMs: number | undefined;
}

/** Who is asking, at one point of the asynchronous flow. Frames are never changed, only nested. */
export interface Frame {
  readonly operation: Operation | undefined;
  /** `Mutation.createPost`: the field resolver around this code. */
  readonly resolver: string | undefined;
  /** The top-level GraphQL field that this code runs under. */
  readonly field: Field | undefined;
  /** What the nearest field around this code says by `@freshness`. */
  readonly freshness: FieldFreshness | undefined;
  /** The loader's batch that this code runs for; `undefined` outside a batch. */
  readonly batch: Batch | undefined;
  readonly asked: Asked | undefined;
  /** Inside a helper of the ORM that reads in order to write: such reads belong to the primary. */
  readonly feedsWrite: Ending | undefined;
}

const root: Frame = {
  operation: undefined,
  resolver: undefined,
  field: undefined,
  freshness: undefined,
  batch: undefined,
  asked: undefined,
  feedsWrite: undefined,
};

// One storage for the process: an operation may touch several Sequelize instances.
const storage = new AsyncLocalStorage<Frame>();

/** The frame of the running code; a frame without operation where there is none. */
export function currentFrame(): Frame {
  return storage.getStore() ?? root;
}

/**
 * The operation that is open around the running code, if any. One that is over still counts the
 * writes of what it left running, but is not joined any more: a server or a worker that was started
 * inside an operation keeps its context for ever.
 */
export function currentOperation(): Operation | undefined {
  const operation = storage.getStore()?.operation;
  return operation?.ended ? undefined : operation;
}

/** Runs `fn` in a frame that differs from the current one by `change`. */
export function runInFrame<T>(change: Partial<Frame>, fn: () => T): T {
  return storage.run({ ...currentFrame(), ...change }, fn);
}

/** Runs `fn` as `operation`: of the frame around it only a wish for a node stays. */
export function runInOperation<T>(operation: Operation, fn: () => T): T {
  return storage.run({ ...root, asked: currentFrame().asked, operation }, fn);
}

/** Runs `fn` in the given frame, forgetting the current one. */
export function runInExactFrame<T>(frame: Frame, fn: () => T): T {
  return storage.run(frame, fn);
}

/** Outside a batch nobody wants to know what is read. */
const nobody = (): undefined => undefined;

/** Runs `fn` as part of the batch around it, or of none, whose queries `rewrite` sees first. */
export function runRewriting<T>(rewrite: (outer: Rewrite) => Rewrite, fn: () => T): T {
  const { batch, field } = currentFrame();
  const own = rewrite(batch?.rewrite ?? ((sql) => sql));
  const inner = batch ?? { resolvers: [], fields: [field], onRead: nobody, onLoad: nobody };
  return runInFrame({ batch: { ...inner, rewrite: own } }, fn);
}

/**
 * Runs `fn` with a wish for one node. The wish ends when the promise that `fn` returned settles
 * (or when `fn` returns, if it returned none), also for work that `fn` left running.
 */
export function runAsking<T>(target: 'primary' | 'replica', fn: () => T): T {
  const asked: Asked = { target, active: true };
  return runUntilSettled(asked, () => runInFrame({ asked }, fn));
}

/** Runs `fn`, a helper of the ORM that reads in order to write. It ends as in {@link runAsking}. */
export function runFeedingWrite<T>(fn: () => T): T {
  const feedsWrite: Ending = { active: true };
  return runUntilSettled(feedsWrite, () => runInFrame({ feedsWrite }, fn));
}

function runUntilSettled<T>(ending: Ending, fn: () => T): T {
  const end = () => {
    ending.active = false;
  };
  let result: T;
  try {
    result = fn();
  } catch (error) {
    end();
    throw error;
  }
  if (isThenable(result)) result.then(end, end);
  else end();
  return result;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
