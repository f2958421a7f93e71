import { expect } from 'chai';
import { backoffMs } from '../../src/replicas/backoff';
import { NodeHealth, type NodeState, type TrialResult } from '../../src/replicas/health';
import { FakeTimers, settle } from './fakes';

const FAILED: TrialResult = { ok: false, because: 'connect-failed', error: undefined };

describe('node health', () => {
  let timers: FakeTimers;
  let trials: ((result: TrialResult) => void)[];
  let states: string[];
  let health: NodeHealth;

  beforeEach(() => {
    timers = new FakeTimers();
    trials = [];
    states = [];
    health = new NodeHealth({
      trial: () => new Promise((resolve) => trials.push(resolve)),
      onChange: (from, to) => states.push(`${from.kind} > ${describeState(to)}`),
      timers,
      random: () => 0,
    });
  });

  async function answer(result: TrialResult): Promise<void> {
    const [trial] = trials.splice(0, 1);
    trial!(result);
    await settle();
  }

  it('a doubt starts one trial, and its success ends the doubt', async () => {
    health.doubt('connection-lost');
    health.doubt('connection-lost');
    expect(trials).to.have.length(1);
    await answer({ ok: true });
    expect(states).to.deep.equal(['up > suspect connection-lost', 'suspect > up']);
  });

  it('a failed trial puts it down, and one trial after each growing pause brings it back', async () => {
    health.doubt('connection-lost');
    await answer(FAILED);
    expect(trials).to.have.length(0);
    await timers.pass(99);
    expect(trials).to.have.length(0);
    await timers.pass(1);
    expect(trials).to.have.length(1);
    await answer(FAILED);
    await timers.pass(199);
    expect(trials).to.have.length(0);
    await timers.pass(1);
    await answer({ ok: true });
    expect(states).to.deep.equal([
      'up > suspect connection-lost',
      'suspect > down connect-failed 1 100',
      'down > suspect connect-failed',
      'suspect > down connect-failed 2 200',
      'down > suspect connect-failed',
      'suspect > up',
    ]);
    expect(timers.pending).to.equal(0);
  });

  it('a failed connect puts it down at once; more of them change nothing', () => {
    health.fail('connect-failed');
    health.fail('no-answer');
    health.doubt('connection-lost');
    expect(states).to.deep.equal(['up > down connect-failed 1 100']);
  });

  it('a node that comes up and drops connections waits longer each time, until it serves', async () => {
    health.fail('connect-failed');
    await timers.pass(100);
    await answer({ ok: true });
    health.doubt('connection-lost');
    expect(states.at(-1)).to.equal('up > down connection-lost 2 200');
    await timers.pass(200);
    await answer({ ok: true });
    health.served();
    health.doubt('connection-lost');
    expect(states.at(-1)).to.equal('up > suspect connection-lost');
  });

  it('a trial overtaken by a failure counts no more', async () => {
    health.doubt('connection-lost');
    health.fail('no-answer');
    await answer({ ok: true });
    expect(health.state.kind).to.equal('down');
  });

  it('closed, it tries nothing more', async () => {
    health.fail('connect-failed');
    health.close();
    await timers.pass(60_000);
    expect(trials).to.have.length(0);
    health.doubt('connection-lost');
    expect(states).to.have.length(1);
  });

  it('pauses from 100 ms to 10 s, cut by up to half', () => {
    const pauses = [1, 2, 3, 7, 8, 50].map((attempt) => backoffMs(attempt, () => 0));
    expect(pauses).to.deep.equal([100, 200, 400, 6400, 10_000, 10_000]);
    expect(backoffMs(1, () => 1)).to.equal(50);
    expect(backoffMs(50, () => 0.5)).to.equal(7500);
  });
});

function describeState(state: NodeState): string {
  if (state.kind === 'up') return 'up';
  const { kind, because } = state;
  return state.kind === 'down'
    ? `${kind} ${because} ${state.failures} ${state.retryInMs}`
    : `${kind} ${because}`;
}
