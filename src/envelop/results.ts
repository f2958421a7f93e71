import { Operation, runInOperation } from '../operation';
import type { ExecutionArgs, ExecutionResult, Execute, Results } from './peers';

/** What one execution is run with. */
export interface Run {
  readonly operation: Operation;
  /** Changes a result, or one part of a result that comes in parts. */
  readonly change: (result: ExecutionResult) => ExecutionResult;
  /** Called once: after the last part, an error, or when nobody wants the rest. */
  readonly end: () => void;
  /** Each part is an event: it is drawn in an operation of its own, which follows this one. */
  readonly events: boolean;
}

/** Executes in the operation, and ends it when all of the result is there. */
export function runExecution(
  execute: Execute,
  args: ExecutionArgs,
  run: Run,
): Results | Promise<Results> {
  const deliver = (results: Results): Results => {
    if (isInParts(results)) return new Parts(results, run);
    run.end();
    return run.change(results);
  };
  const fail = (error: unknown): never => {
    run.end();
    throw error;
  };
  let results: Results | Promise<Results>;
  try {
    results = runInOperation(run.operation, () => execute(args));
  } catch (error) {
    return fail(error);
  }
  return isPromise(results) ? results.then(deliver, fail) : deliver(results);
}

/** The parts of a result (deferred, streamed, or events), as long as somebody takes them. */
class Parts implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<ExecutionResult>;
  readonly #run: Run;

  constructor(results: AsyncIterable<ExecutionResult>, run: Run) {
    this.#source = results[Symbol.asyncIterator]();
    this.#run = run;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ExecutionResult>> {
    return this.#take(() => this.#source.next());
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#run.end();
    return (await this.#source.return?.()) ?? { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<ExecutionResult>> {
    if (!this.#source.throw) {
      await this.return();
      throw error;
    }
    return this.#take(() => this.#source.throw?.(error));
  }

  /** In the operation: a generator runs in the context of whoever asks it for more. */
  async #take(
    ask: () => Promise<IteratorResult<ExecutionResult>> | undefined,
  ): Promise<IteratorResult<ExecutionResult>> {
    const { operation, change, end, events } = this.#run;
    const drawing = events
      ? new Operation({ kind: operation.info.kind, follows: operation })
      : operation;
    try {
      const next = await runInOperation(drawing, ask);
      if (next && !next.done) return { done: false, value: change(next.value) };
    } catch (error) {
      end();
      throw error;
    } finally {
      if (events) drawing.end();
    }
    end();
    return { done: true, value: undefined };
  }
}

function isInParts(results: Results): results is AsyncIterable<ExecutionResult> {
  return Symbol.asyncIterator in results;
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}
