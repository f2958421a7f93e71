import { expect } from 'chai';
import { runExecution } from '../../src/envelop/results';
import type { ExecutionResult, Execute, Results } from '../../src/envelop/peers';
import { Operation, currentFrame } from '../../src/operation';

interface Parts extends AsyncIterableIterator<ExecutionResult> {
  return(): Promise<IteratorResult<ExecutionResult>>;
  throw(error: unknown): Promise<IteratorResult<ExecutionResult>>;
}

describe('the results of an execution', () => {
  let ends: number;
  let operation: Operation;
  beforeEach(() => {
    ends = 0;
    operation = new Operation({ kind: 'query' });
  });

  const run = (execute: () => unknown, events = false) =>
    runExecution(execute as unknown as Execute, {} as never, {
      operation,
      events,
      change: (result) => ({ extensions: { ...result.extensions, changed: true } }),
      end: () => ends++,
    });
  const partsOf = async (execute: () => unknown, events = false) =>
    (await run(execute, events)) as unknown as Parts;
  const error = new Error('lost');

  it('come at once where they came at once', () => {
    expect(run(() => ({ extensions: { own: 1 } }))).to.deep.equal({
      extensions: { own: 1, changed: true },
    });
    expect(ends).to.equal(1);
  });

  it('end the operation when the executor throws or rejects', async () => {
    expect(() =>
      run(() => {
        throw error;
      }),
    ).to.throw(error);
    expect(ends).to.equal(1);
    const rejected = run(() => Promise.reject(error)) as Promise<Results>;
    expect(await rejected.catch((reason: unknown) => reason)).to.equal(error);
    expect(ends).to.equal(2);
  });

  it('belong to the operation part by part, and end it after the last', async () => {
    const around: unknown[] = [];
    const parts = await partsOf(async function* () {
      for (const own of [1, 2]) {
        await Promise.resolve();
        around.push(currentFrame().operation);
        yield { extensions: { own } };
      }
    });
    expect(await parts.next()).to.deep.equal({
      done: false,
      value: { extensions: { own: 1, changed: true } },
    });
    await parts.next();
    expect(ends).to.equal(0);
    expect((await parts.next()).done).to.equal(true);
    expect(ends).to.equal(1);
    expect(around).to.deep.equal([operation, operation]);
  });

  it('draw each event in an operation that follows', async () => {
    const around: (Operation | undefined)[] = [];
    const parts = await partsOf(async function* () {
      for (let time = 0; time < 2; time++) {
        await Promise.resolve();
        around.push(currentFrame().operation);
        yield {};
      }
    }, true);
    await parts.next();
    await parts.next();
    expect(around.map((drawing) => drawing?.follows)).to.deep.equal([operation, operation]);
    expect(around[0]).not.to.equal(around[1]);
    expect(around.every((drawing) => drawing?.ended)).to.equal(true);
  });

  it('end it when a part fails, when nobody wants the rest, and when they are thrown into', async () => {
    const source = () =>
      (async function* () {
        await Promise.resolve();
        yield {};
        throw error;
      })();
    const failing = await partsOf(source);
    await failing.next();
    expect(await failing.next().catch((reason: unknown) => reason)).to.equal(error);
    expect(ends).to.equal(1);
    const left = await partsOf(source);
    expect(await left.return()).to.deep.equal({ done: true, value: undefined });
    expect(ends).to.equal(2);
    const thrownInto = await partsOf(source);
    expect(await thrownInto.throw(error).catch((reason: unknown) => reason)).to.equal(error);
    expect(ends).to.equal(3);
    const bare = await partsOf(() => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: {} }) }),
    }));
    expect(await bare.throw(error).catch((reason: unknown) => reason)).to.equal(error);
    expect(await bare.return()).to.deep.equal({ done: true, value: undefined });
    expect(ends).to.be.greaterThan(3);
  });
});
