import { expect } from 'chai';
import fc from 'fast-check';
import { now } from '../../src/clock';
import { FixedWindow, type ProbeConnection } from '../../src/freshness';
import { bounded } from '../../src/freshness/bounded';
import { LagWatch } from '../../src/freshness/lag';
import { LagStatistics } from '../../src/freshness/lag-statistics';
import { parseLsn, reachable } from '../../src/freshness/lsn';
import { positions } from '../../src/freshness/positions';
import { Probe } from '../../src/freshness/probe';
import { Samples, type OrderedSample } from '../../src/freshness/samples';

describe('positions in the write-ahead log', () => {
  it('are read as numbers of bytes', () => {
    expect(parseLsn('0/0')).to.equal(0n);
    expect(parseLsn('16/B374D848')).to.equal(0x16b374d848n);
    expect(parseLsn('FFFFFFFF/FFFFFFFF')).to.equal(2n ** 64n - 1n);
    for (const bad of ['', '1', '1/', 'g/0', '1/2/3', '123456789/0']) {
      expect(() => parseLsn(bad)).to.throw(/not a position/);
    }
  });

  it('behind a page header mean the page’s start', () => {
    expect(reachable(8192n + 24n, 8192n)).to.equal(8192n);
    expect(reachable(16_777_216n + 40n, 8192n)).to.equal(16_777_216n);
    expect(reachable(8192n, 8192n)).to.equal(8192n);
    expect(reachable(8192n + 32n, 8192n)).to.equal(8192n + 32n);
    expect(reachable(8192n + 24n, 16_384n), 'larger pages').to.equal(8192n + 24n);
  });

  it('are refused where an answer is not what was asked for', () => {
    expect(() => positions.parse(undefined, 1)).to.throw(/no row/);
    expect(() => positions.parse({ standby: 'true' }, 1)).to.throw(/no value for/);
    expect(() => positions.parse({ standby: true }, 1)).to.throw(/boolean for standby/);
  });
});

describe('Samples', () => {
  const list = fc.array(fc.record({ step: fc.nat(3), bytes: fc.nat(3) }), { maxLength: 50 });

  it('find what a linear search finds', () => {
    fc.assert(
      fc.property(list, fc.nat(160), fc.nat(160), (steps, at, dropped) => {
        const samples = new Samples();
        let all: OrderedSample[] = [];
        let [seq, position] = [0, 0n];
        for (const { step, bytes } of steps) {
          seq += step + 1;
          position += BigInt(bytes);
          samples.add({ seq, position, sentAt: 0 });
          all.push(samples.newest!);
        }
        samples.drop(dropped);
        all = all.filter((sample) => sample.ordinal > dropped);
        expect(samples.passedAt(BigInt(at))).to.equal(
          all.findLast((sample) => sample.position <= BigInt(at)),
        );
        expect(samples.upTo(at)).to.equal(all.findLast((sample) => sample.ordinal <= at));
        expect(samples.after(at)).to.equal(all.find((sample) => sample.ordinal > at));
      }),
    );
  });

  it('stay few, keep the newest, and claim no more than they did', () => {
    const samples = new Samples();
    for (let seq = 1; seq <= 10_000; seq++) {
      samples.add({ seq, position: BigInt(10 * seq), sentAt: seq });
      expect(samples.newest?.seq).to.equal(seq);
    }
    expect(samples.size).to.be.at.most(1024);
    for (const seq of [1, 17, 5000, 9999, 10_000]) {
      expect(samples.passedAt(BigInt(10 * seq))?.seq ?? 0).to.be.at.most(seq);
    }
  });
});

describe('LagWatch', () => {
  const sample = { seq: 1, position: 1n, sentAt: 0 };

  /** When a replica is asked about a sample sent at 0 that never arrives, after lags seen before. */
  function questions(seen: readonly number[], untilMs: number, hurriedUntilMs = 0): number[] {
    const watch = new LagWatch();
    watch.hurryUntil(hurriedUntilMs);
    for (const ms of seen) watch.saw(sample, ms);
    const pending = { seq: 1, position: 1n, sentAt: 0 };
    const asked: number[] = [];
    let at = 1;
    while (at < untilMs) {
      watch.asked(at);
      asked.push(at);
      at = watch.nextAsk(pending, 10);
    }
    return asked;
  }

  it('asks a replica that is far behind a dozen times, and each interval when it should be there', () => {
    const asked = questions([1000, 1010, 1020], 1020);
    expect(asked.length).to.be.at.most(14);
    expect(asked.filter((at) => at > 990).length).to.be.at.least(2);
  });

  it('asks each interval at first where nothing is known, and less and less later', () => {
    expect(questions([], 50)).to.deep.equal([1, 11, 21, 31, 41]);
    const asked = questions([], 60_000);
    expect(asked.length).to.be.at.most(150);
    expect(Math.max(...asked.slice(1).map((at, i) => at - asked[i]!))).to.be.at.most(1000);
  });

  it('never asks more than once an interval', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 5000, noNaN: true })), (seen) => {
        const asked = questions(seen, 10_000);
        for (const [i, at] of asked.slice(1).entries()) {
          expect(at - asked[i]!).to.be.at.least(10 - 1e-6);
        }
      }),
    );
  });

  it('asks more often while a read waits, from when the replica is about to be there', () => {
    const asked = questions([20, 22], 60, 25);
    expect(asked).to.deep.equal([1, 11, 15, 17, 19, 21, 23, 25, 35, 45, 55]);
  });

  it('tells no lag before one was seen, the last one at rest, and a growing one meanwhile', () => {
    const watch = new LagWatch();
    const pending = { seq: 1, position: 1n, sentAt: 1000 };
    expect(watch.lagMs(pending, 2000)).to.equal(undefined);
    watch.saw(sample, 30);
    expect(watch.lagMs(undefined, 1e9)).to.equal(30);
    expect(watch.lagMs(pending, 1010)).to.equal(30);
    expect(watch.lagMs(pending, 2000)).to.equal(1000);
  });
});

describe('LagStatistics', () => {
  it('speaks after a hundred, in milliseconds, of what it saw lately', () => {
    const statistics = new LagStatistics();
    for (let i = 0; i < 99; i++) statistics.saw(5, 0);
    expect(statistics.percentileMs(99)).to.equal(undefined);
    statistics.saw(80, 0);
    expect(statistics.percentileMs(50)).to.be.closeTo(5, 0.1);
    expect(statistics.percentileMs(100)).to.be.closeTo(80, 0.5);
    for (const at of [300_000, 600_000]) for (let i = 0; i < 100; i++) statistics.saw(7, at);
    expect(statistics.percentileMs(100)).to.be.closeTo(7, 0.1);
  });
});

describe('FixedWindow', () => {
  const mark = () => ({ seq: 1, at: now() });

  it('lets a write expire by its age alone', async () => {
    const policy = new FixedWindow(20);
    const young = mark();
    expect(policy.shows('any', { seq: 1, at: now() - 21 })).to.equal(true);
    expect(policy.shows('any', young)).to.equal(false);
    expect(await policy.waitUntilShown(['any'], young, 5000)).to.equal(true);
    expect(policy.expired(young)).to.equal(true);
  });

  it('gives up waiting in time, with nobody to wait for, and when it is closed', async () => {
    const policy = new FixedWindow(60_000);
    expect(await policy.waitUntilShown(['any'], mark(), 5)).to.equal(false);
    expect(await policy.waitUntilShown([], { seq: 1, at: -1e9 }, 5)).to.equal(false);
    const waiting = policy.waitUntilShown(['any'], mark(), 50_000);
    await policy.close();
    expect(await waiting).to.equal(false);
  });
});

describe('bounded', () => {
  const never = new Promise<never>(() => undefined);

  it('gives up after its time, or when told to', async () => {
    await expectRejection(bounded(never, { ms: 5 }), /no answer within 5 ms/);
    const cancel = new AbortController();
    const waiting = bounded(never, { ms: 60_000, signal: cancel.signal });
    cancel.abort();
    await expectRejection(waiting, /given up/);
    expect(await bounded(Promise.resolve(1), { ms: 60_000 })).to.equal(1);
  });

  it('hands over what comes too late', async () => {
    let arrive: (value: number) => void = () => undefined;
    const slow = new Promise<number>((resolve) => (arrive = resolve));
    let late: ((value: number) => void) | undefined;
    const seen = new Promise<number>((resolve) => (late = resolve));
    await expectRejection(bounded(slow, { ms: 5, late: (value) => late?.(value) }), /no answer/);
    arrive(7);
    expect(await seen).to.equal(7);
  });
});

describe('Probe', () => {
  function connection(query: ProbeConnection['query']) {
    const state = { closed: 0, lose: () => undefined as unknown };
    const probe: ProbeConnection = {
      query,
      onLost: (fn) => (state.lose = fn),
      close: () => {
        state.closed++;
        return Promise.resolve();
      },
    };
    return { state, probe };
  }

  it('closes a connection that was given up while it was being opened', async () => {
    const { state, probe } = connection(() => Promise.resolve([]));
    let open: (connection: ProbeConnection) => void = () => undefined;
    const opening = new Promise<ProbeConnection>((resolve) => (open = resolve));
    const asker = new Probe(
      () => opening,
      () => expect.fail('nothing was lost'),
    );
    const connecting = asker.connect();
    asker.drop();
    await expectRejection(connecting, /given up/);
    open(probe);
    await opening;
    await Promise.resolve();
    expect(state.closed).to.equal(1);
  });

  it('keeps the connection of a refusal, and gives up one that fails', async () => {
    const errors = [Object.assign(new Error('no'), { code: '42501' }), new Error('gone')];
    const { state, probe } = connection(() => Promise.reject(errors.shift()!));
    let lost = 0;
    const asker = new Probe(
      () => Promise.resolve(probe),
      () => lost++,
    );
    await asker.connect();
    await expectRejection(asker.ask('SELECT'), /no/);
    expect([state.closed, lost]).to.deep.equal([0, 0]);
    await expectRejection(asker.ask('SELECT'), /gone/);
    expect([state.closed, lost]).to.deep.equal([1, 1]);
    state.lose();
    expect(lost, 'said once').to.equal(1);
    await expectRejection(asker.ask('SELECT'), /not connected/);
  });
});

async function expectRejection(promise: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(Error);
  expect((error as Error).message).to.match(message);
}
