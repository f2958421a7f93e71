import { expect } from 'chai';
import { Random, Weighted, zipf } from '../../bench/policies/random';
import { VirtualClock } from '../../bench/scale/virtual-clock';

describe('the virtual clock of the scale bench', () => {
  it('runs timers in the order of their times, and those of one time as they were set', async () => {
    const clock = new VirtualClock();
    const ran: [string, number][] = [];
    const note = (name: string) => () => ran.push([name, clock.now()]);
    clock.later(30, note('last'));
    clock.later(10, note('first'));
    clock.later(20, note('second')).cancel();
    clock.later(20, note('third'));
    clock.later(20, () => clock.later(-5, note('at once')));
    await clock.run(25);
    expect(ran).to.deep.equal([
      ['first', 10],
      ['third', 20],
      ['at once', 20],
    ]);
    expect(clock.now()).to.equal(25);
    for (const name of ['a', 'b', 'c', 'd', 'e']) clock.later(5, note(name));
    await clock.run(30);
    expect(ran.slice(3).map(([name]) => name)).to.deep.equal(['last', 'a', 'b', 'c', 'd', 'e']);
  });

  it('waits for what a timer has set off before it moves on', async () => {
    const clock = new VirtualClock();
    const ran: number[] = [];
    clock.later(
      1,
      () => void Promise.resolve().then(() => clock.later(1, () => ran.push(clock.now()))),
    );
    clock.later(5, () => ran.push(clock.now()));
    await clock.run(10);
    expect(ran).to.deep.equal([2, 5]);
  });

  it('takes the place of the clock of the package until it is taken out again', async () => {
    const real = { now: () => -1, later: () => never, alarm: () => never, epochMs: () => -1 };
    const before = { ...real };
    const clock = new VirtualClock();
    const restore = clock.install(real as never);
    let fired = false;
    (real.alarm as unknown as VirtualClock['later'])(5, () => (fired = true));
    await clock.run(7);
    expect([real.now(), fired]).to.deep.equal([7, true]);
    const soon: number[] = [];
    (real.later as unknown as VirtualClock['later'])(0.5, () => soon.push(clock.now()));
    await clock.run(9);
    expect(soon, 'no timer of Node is shorter').to.deep.equal([8]);
    restore();
    expect(real).to.deep.equal(before);
  });
});

const never = { cancel: () => undefined };

describe('the random numbers of the benches', () => {
  it('are the same for the same seed, and spread evenly', () => {
    const [one, other] = [new Random(7), new Random(7)];
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 4000; i++) {
      const value = one.next();
      expect(value).to.equal(other.next());
      counts[Math.floor(value * 4)]!++;
    }
    for (const count of counts) expect(count).to.be.within(850, 1150);
  });

  it('draw as often as the weights say', () => {
    const random = new Random(3);
    const weights = new Weighted(zipf(3));
    const counts = [0, 0, 0];
    for (let i = 0; i < 11_000; i++) counts[weights.draw(random)]!++;
    expect(counts[0]).to.be.within(5600, 6400);
    expect(counts[1]).to.be.within(2700, 3300);
    expect(counts[2]).to.be.within(1750, 2250);
  });
});
