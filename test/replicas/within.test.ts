import { expect } from 'chai';
import { NoAnswerError, within } from '../../src/replicas/within';
import { FakeTimers } from './fakes';

describe('within', () => {
  const never = new Promise<never>(() => undefined);

  it('gives what the work gives, and leaves no timer behind', async () => {
    const timers = new FakeTimers();
    expect(await within(Promise.resolve(1), 100, 'it', timers)).to.equal(1);
    const refused = await within(Promise.reject(new Error('no')), 100, 'it', timers).catch(
      (error: unknown) => error,
    );
    expect(refused).to.have.property('message', 'no');
    await timers.pass(0);
    expect(timers.pending).to.equal(0);
  });

  it('gives up after the time', async () => {
    const timers = new FakeTimers();
    let outcome: unknown;
    within(never, 100, 'connect to replica1', timers).catch((error: unknown) => (outcome = error));
    await timers.pass(99);
    expect(outcome).to.equal(undefined);
    await timers.pass(1);
    expect(outcome)
      .to.be.instanceOf(NoAnswerError)
      .with.property('message', 'connect to replica1: no answer within 100 ms');
  });

  it('does not hold it against the node that this process was blocked', async () => {
    const timers = new FakeTimers();
    let outcome: unknown;
    within(never, 100, 'it', timers).catch((error: unknown) => (outcome = error));
    await timers.block(10_000);
    expect(outcome).to.equal(undefined);
    await timers.pass(75);
    expect(outcome).to.be.instanceOf(NoAnswerError);
  });
});
