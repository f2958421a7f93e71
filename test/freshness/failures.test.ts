import { expect } from 'chai';
import { Proven } from '../../src/freshness';
import { startCluster, type Cluster, type ReplicaNode } from '../../src/testing';
import { until } from '../../src/testing/poll';
import { TestConnection, TestEnvironment } from './environment';

const DEADLINE_MS = 15_000;

describe('Proven, when nodes fail', () => {
  let cluster: Cluster;
  let first: ReplicaNode;
  let second: ReplicaNode;
  let app: TestConnection;
  let environment: TestEnvironment;
  let policy: Proven;

  before(async () => {
    cluster = await startCluster({ settings: { restart_after_crash: true } });
    [first, second] = cluster.replicas as [ReplicaNode, ReplicaNode];
    await cluster.primary.query('CREATE TABLE notes (id serial PRIMARY KEY, text text)');
    // A standby that crashes starts again from here.
    await cluster.primary.query('CHECKPOINT');
    await cluster.waitForReplicas();
    for (const replica of cluster.replicas) await replica.query('CHECKPOINT');
  });

  after(() => cluster.stop());

  beforeEach(async () => {
    await cluster.waitForReplicas();
    environment = new TestEnvironment(cluster);
    policy = new Proven(environment, { probeIntervalMs: 10, heartbeat: undefined });
    app = await TestConnection.open(cluster.primary);
    const mark = await write();
    for (const node of environment.replicas) expect(await shown(node, mark)).to.equal(true);
  });

  afterEach(async () => {
    await policy.close();
    await app.end();
  });

  async function write(rows = 1) {
    await app.query(
      `INSERT INTO notes (text) SELECT repeat('x', 500) FROM generate_series(1, ${rows})`,
    );
    const mark = environment.commit();
    policy.committed(mark);
    return mark;
  }

  const shown = (node: string, mark: { seq: number; at: number }) =>
    policy.waitUntilShown([node], mark, DEADLINE_MS);

  /** A backend dies by SIGKILL: the server ends all sessions and goes through crash recovery. */
  async function crash(node: { name: string }): Promise<void> {
    const server = environment.servers.get(node.name)!;
    const victim = await TestConnection.open(server);
    const ended = new Promise((resolve) => victim.client.once('end', resolve));
    process.kill(victim.processId!, 'SIGKILL');
    await ended;
  }

  it('a standby that restarts below what it showed serves nothing until it is there again', async () => {
    const mark = await write(2000);
    expect(await shown('replica1', mark)).to.equal(true);
    expect(await shown('replica2', mark)).to.equal(true);
    expect(policy.expired(mark)).to.equal(true);
    const started = 'SELECT pg_postmaster_start_time()::text AS at';
    const before = await first.query(started);
    // It will replay these commits again, an hour late.
    await first.setLag(3_600_000);
    await crash(first);
    await until('the loss is seen', () => !policy.serves('replica1'));

    await until('it answers again', () => accepts(first));
    expect(await first.query(started), 'the same start time').to.deep.equal(before);
    const [row] = await first.query('SELECT count(*)::int AS rows FROM notes');
    expect(row!['rows'], 'it shows less than before').to.be.below(2000);
    const connection = await TestConnection.open(first);
    expect(await policy.admit('replica1', connection)).to.equal(false);
    const asked = environment.asked('replica1');
    await until('it was asked again', () => environment.asked('replica1') > asked + 2);
    expect(policy.serves('replica1')).to.equal(false);
    expect(policy.shows('replica1', mark)).to.equal(false);

    await first.setLag(0);
    await until('it serves', () => policy.serves('replica1'));
    expect(await policy.admit('replica1', connection)).to.equal(true);
    const [again] = await connection.query('SELECT count(*)::int AS rows FROM notes');
    expect(again!['rows']).to.be.above(2000);
    await connection.end();
  });

  it('a frozen standby is out of use in bounded time, and comes back by itself', async () => {
    await second.freeze();
    const mark = await write();
    expect(await shown('replica1', mark)).to.equal(true);
    await until('the other is out of use', () => !policy.serves('replica2'));
    expect(policy.shows('replica2', mark)).to.equal(false);
    expect(policy.expired(mark)).to.equal(true);
    await second.thaw();
    await until('it serves', () => policy.serves('replica2'));
    expect(await shown('replica2', await write())).to.equal(true);
  });

  it('a dead standby holds nobody up, and comes back by itself', async () => {
    await first.kill();
    await until('the loss is seen', () => !policy.serves('replica1'));
    const mark = await write();
    expect(await shown('replica2', mark)).to.equal(true);
    expect(policy.expired(mark)).to.equal(true);
    await first.start();
    await until('it serves', () => policy.serves('replica1'));
    expect(await shown('replica1', await write())).to.equal(true);
    expect(environment.changed).to.deep.equal(['replica1']);
  });

  it('a standby whose probe failed, and that a connection of the pools has proven since, is sampled', async () => {
    const fresh = new TestEnvironment(cluster, [first]);
    let refuse = true;
    let refused = 0;
    const openProbe = fresh.openProbe.bind(fresh);
    fresh.openProbe = async (node) => {
      if (node === 'primary' || !refuse) return openProbe(node);
      refused++;
      throw new Error('the server is starting up');
    };
    const other = new Proven(fresh, { probeIntervalMs: 10, heartbeat: undefined });
    try {
      other.start();
      await until('its probe has failed', () => refused > 0);
      const connection = await TestConnection.open(first);
      expect(await other.admit('replica1', connection)).to.equal(true);
      refuse = false;
      await app.query("INSERT INTO notes (text) VALUES ('x')");
      const mark = fresh.commit();
      other.committed(mark);
      expect(await other.waitUntilShown(['replica1'], mark, DEADLINE_MS)).to.equal(true);
      await connection.end();
    } finally {
      await other.close();
    }
  });

  it('a primary that crashes loses what was not flushed; what it commits later is proven anew', async () => {
    await first.pause();
    await app.query('SET synchronous_commit = off');
    const early = await write();
    await until('a sample of it is on its way', () => (policy.lag('replica1')?.bytes ?? 0n) > 0n);
    await crash(cluster.primary);
    expect(policy.serves('replica1'), 'replicas serve meanwhile').to.equal(true);
    await until('it answers again', () => accepts(cluster.primary));
    app = await TestConnection.open(cluster.primary);
    expect(await policy.admit('primary', app)).to.equal(true);
    const late = await write();
    expect(await shown('replica2', late)).to.equal(true);
    expect(policy.shows('replica1', early)).to.equal(false);
    expect(policy.shows('replica1', late)).to.equal(false);
    await first.resume();
    expect(await shown('replica1', late)).to.equal(true);
  });

  it('replicas go on serving while the primary is down, and prove themselves to the new run of it', async () => {
    await cluster.primary.kill();
    const connection = await TestConnection.open(first);
    expect(await policy.admit('replica1', connection)).to.equal(true);
    expect(policy.serves('replica2')).to.equal(true);
    await cluster.primary.start();
    app = await TestConnection.open(cluster.primary);
    expect(await policy.admit('primary', app)).to.equal(true);
    expect(environment.changed).to.deep.equal(['primary']);
    expect(policy.serves('replica1'), 'not before it has shown something of this run').to.equal(
      false,
    );
    await until('it serves', () => policy.serves('replica1'));
    expect(await shown('replica2', await write())).to.equal(true);
    await connection.end();
  });

  it('replicas serve when the primary is down from the start', async () => {
    await policy.close();
    await cluster.primary.kill();
    environment = new TestEnvironment(cluster);
    policy = new Proven(environment, { probeIntervalMs: 10, heartbeat: undefined });
    const connection = await TestConnection.open(first);
    expect(await policy.admit('replica1', connection)).to.equal(true);
    await until('the other was asked', () => environment.asked('replica2') > 0);
    expect(policy.serves('replica2')).to.equal(true);
    expect(policy.shows('replica2', environment.commit())).to.equal(false);
    await cluster.primary.start();
    app = await TestConnection.open(cluster.primary);
    expect(await shown('replica1', await write())).to.equal(true);
    await connection.end();
  });

  async function accepts(node: { query(sql: string): Promise<unknown> }): Promise<boolean> {
    return node.query('SELECT').then(
      () => true,
      () => false,
    );
  }
});
