import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { now } from '../../src/clock';
import { MeasuredWindow } from '../../src/freshness';
import { startCluster, type Cluster, type ReplicaNode } from '../../src/testing';
import { until } from '../../src/testing/poll';
import { TestConnection, TestEnvironment } from './environment';

const CEILING_MS = 400;
const FLOOR_MS = 20;

describe('MeasuredWindow, on a real replica', () => {
  let cluster: Cluster;
  let replica: ReplicaNode;
  let app: TestConnection;
  let environment: TestEnvironment;
  let policy: MeasuredWindow;

  before(async () => {
    cluster = await startCluster({ replicas: 1 });
    replica = cluster.replicas[0]!;
    await cluster.primary.query('CREATE TABLE notes (id int)');
    app = await TestConnection.open(cluster.primary);
    await begin();
  });

  /** A policy that has seen nothing yet. */
  async function begin(): Promise<void> {
    environment = new TestEnvironment(cluster);
    policy = new MeasuredWindow(environment, {
      percentile: 99.9,
      floorMs: FLOOR_MS,
      ceilingMs: CEILING_MS,
      probeIntervalMs: 1,
      heartbeat: undefined,
    });
    expect(await policy.admit('primary', app)).to.equal(true);
  }

  after(async () => {
    await policy.close();
    await app.end();
    await cluster.stop();
  });

  async function write() {
    await app.query('INSERT INTO notes VALUES (1)');
    const mark = environment.commit();
    policy.committed(mark);
    return mark;
  }

  it('waits for the ceiling while it has seen too little, and no longer', async () => {
    await write();
    await environment.rest();
    await replica.pause();
    const mark = await write();
    expect(policy.windowMs('replica1')).to.equal(CEILING_MS);
    expect(policy.shows('replica1', mark)).to.equal(false);
    expect(await policy.waitUntilShown(['replica1'], mark, 5)).to.equal(false);
    expect(await policy.waitUntilShown(['replica1'], mark, 10_000)).to.equal(true);
    expect(now() - mark.at).to.be.at.least(CEILING_MS);
    expect(policy.expired(mark)).to.equal(true);
    await replica.resume();
  });

  it('goes by what it saw, and sooner when a probe has seen the write there', async () => {
    // Without the pause just now, which may be the longest lag of all.
    await policy.close();
    await begin();
    for (let i = 0; i < 110; i++) {
      const mark = await write();
      expect(await policy.waitUntilShown(['replica1'], mark, 10_000)).to.equal(true);
    }
    await until('enough was seen', () => policy.windowMs('replica1') < CEILING_MS);
    expect(policy.windowMs('replica1')).to.be.at.least(FLOOR_MS);
  });

  it('gives a replica more time that is seen to need it', async () => {
    await replica.pause();
    const mark = await write();
    await until('the window grows', () => policy.windowMs('replica1') > 200);
    expect(policy.shows('replica1', mark)).to.equal(false);
    await replica.resume();
    expect(await policy.waitUntilShown(['replica1'], mark, 10_000)).to.equal(true);
  });

  it('lets one that joins serve once it shows what the windows of others let expire', async () => {
    await policy.close();
    await begin();
    environment.servers.set('replica2', replica);
    await replica.pause();
    const mark = await write();
    await until('it has expired by its window', () => policy.expired(mark));
    policy.addNode('replica2');
    expect(policy.serves('replica2')).to.equal(false);
    const asked = environment.asked('replica2');
    await until('it was asked', () => environment.asked('replica2') > asked + 2);
    expect(policy.serves('replica2')).to.equal(false);
    await replica.resume();
    await until('it serves', () => policy.serves('replica2'));
    await policy.removeNode('replica2');
    expect(policy.serves('replica2')).to.equal(false);
  });

  it('ends all waiting with close()', async () => {
    await replica.pause();
    const waiting = policy.waitUntilShown(['replica1'], await write(), 60_000);
    await policy.close();
    await waiting;
    await replica.resume();
  });
});

describe('a read that waits', () => {
  it('keeps the process alive', () => {
    const script = `
      const { FixedWindow } = require('./src/freshness');
      const mark = { seq: 1, at: performance.now() };
      new FixedWindow(30).waitUntilShown(['any'], mark, 1000).then((shown) => console.log('shown', shown));`;
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '-e', script], {
      encoding: 'utf8',
    });
    expect(stdout).to.equal('shown true\n');
  });
});
