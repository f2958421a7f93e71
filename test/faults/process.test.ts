import path from 'node:path';
import { expect } from 'chai';
import { Script } from '../testing/support';
import { Ground } from './support';

const file = path.join(__dirname, 'process-script.ts');

describe('a process with nothing left to do', () => {
  let ground: Ground;

  before(async () => {
    ground = await Ground.start();
  });
  after(() => ground.stop());
  afterEach(() => ground.heal());

  /** Runs it to its end, which the time limit of the test waits for. */
  async function run(how: string): Promise<string> {
    const script = new Script(file, how, JSON.stringify(ground.options({ logging: false })));
    const code = await script.end();
    expect(script.err).to.equal('');
    expect(code).to.equal(0);
    for (const node of ground.nodes) {
      if (node.running && !node.frozen) await ground.untilNobodyOn(node);
    }
    return script.out;
  }

  /** The same for several at a time: most of it is starting up. */
  async function expectToEnd(...ways: string[]): Promise<void> {
    const outs = await Promise.all(ways.map((how) => run(how)));
    for (const out of outs) expect(out).to.equal('read 12\ndone\n');
  }

  it('ends by itself after close(), and without it once its pools have let go', async () => {
    await expectToEnd('close', 'leave');
  });

  it('ends while a write is held back, but not before a read that waits is answered', async () => {
    for (const replica of ground.cluster.replicas) await replica.pause();
    await expectToEnd('leave', 'wait');
  });

  it('ends by itself while a replica is frozen', async () => {
    await ground.replica2.freeze();
    await expectToEnd('close', 'leave');
  });

  it('ends by itself while a replica is down', async () => {
    await ground.replica2.kill();
    await expectToEnd('close', 'leave');
  });

  it('is not disturbed by the fake clocks of its tests', async () => {
    expect(await run('fake')).to.equal('read 12\nexpired\ndone\n');
  });
});
