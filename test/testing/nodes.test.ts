import { expect } from 'chai';
import { Client } from 'pg';
import { echo, isClusterError, isOptionsError } from '../../src/errors';
import { startCluster, type Cluster, type ClusterNode, type ReplicaNode } from '../../src/testing';
import { until } from '../../src/testing/poll';
import { processTable } from '../../src/testing/processes';
import { isAlive, remainsOf } from './support';

const streaming = `SELECT EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming') AS is`;

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('it was expected to reject'),
    (error: unknown) => error as Error,
  );
}

describe('the nodes of a cluster', () => {
  let cluster: Cluster;
  let first: ReplicaNode;
  let second: ReplicaNode;
  let lastId = 0;

  before(async () => {
    cluster = await startCluster();
    first = cluster.replicas[0]!;
    second = cluster.replicas[1]!;
    await cluster.primary.query('CREATE TABLE notes (id int PRIMARY KEY)');
    await cluster.waitForReplicas();
  });

  after(() => cluster.stop());

  /** Commits a new row on the primary and resolves once the node has received it. */
  async function write(receiver?: ReplicaNode): Promise<number> {
    const id = ++lastId;
    await cluster.primary.query('INSERT INTO notes VALUES ($1)', [id]);
    if (receiver) {
      const [flushed] = await cluster.primary.query('SELECT pg_current_wal_flush_lsn() AS lsn');
      await until('the row has arrived', async () => {
        const [row] = await receiver.query(
          'SELECT pg_last_wal_receive_lsn() >= $1::pg_lsn AS arrived',
          [flushed?.['lsn']],
        );
        return row?.['arrived'] === true;
      });
    }
    return id;
  }

  async function has(node: ClusterNode, id: number): Promise<boolean> {
    const rows = await node.query('SELECT FROM notes WHERE id = $1', [id]);
    return rows.length === 1;
  }

  async function serverPid(node: ClusterNode): Promise<number> {
    const { pids } = await remainsOf({ primary: node, replicas: [] } as unknown as Cluster);
    return pids[0]!;
  }

  it('setLag() holds commits back on this replica only, until it is set lower', async () => {
    await first.setLag(3_600_000);
    expect(await first.query('SHOW recovery_min_apply_delay')).to.deep.equal([
      { recovery_min_apply_delay: '1h' },
    ]);
    const id = await write(first);
    await until('the other replica has it', () => has(second, id));
    expect(await has(first, id)).to.equal(false);
    await first.setLag(0);
    await cluster.waitForReplicas();
    expect(await has(first, id)).to.equal(true);
  });

  it('a lag survives a restart, which does not wait for what is held back', async () => {
    await first.setLag(3_600_000);
    const id = await write(first);
    await first.stop();
    await first.start();
    expect(await has(first, id)).to.equal(false);
    await first.setLag(0);
    await cluster.waitForReplicas();
    expect(await has(first, id)).to.equal(true);
  });

  for (const bad of [-1, 0.5, '300', undefined]) {
    it(`setLag() refuses ${echo(bad)}`, async () => {
      const error = await failure(first.setLag(bad as number));
      expect(isOptionsError(error)).to.equal(true);
      expect(error.message).to.equal(
        `the lag of replica1 must be a whole number of milliseconds from 0 to 2147483647; got ${echo(bad)}`,
      );
    });
  }

  it('pause() holds replay on this replica until resume()', async () => {
    await first.pause();
    expect(first.paused).to.equal(true);
    const id = await write(first);
    // Resolving shows that it does not wait for a paused replica.
    await cluster.waitForReplicas();
    expect(await has(second, id)).to.equal(true);
    expect(await has(first, id)).to.equal(false);
    await first.resume();
    expect(first.paused).to.equal(false);
    await cluster.waitForReplicas();
    expect(await has(first, id)).to.equal(true);
  });

  for (const end of ['stop', 'kill'] as const) {
    it(`${end}() ends a replica, start() brings it back streaming on its old port`, async () => {
      const { port } = first;
      const pid = await serverPid(first);
      await first[end]();
      expect(isAlive(pid)).to.equal(false);
      expect(first.running).to.equal(false);
      const error = await failure(first.query('SELECT 1'));
      expect(isClusterError(error)).to.equal(true);
      expect(error.message).to.equal('replica1 is not running: call start() first');
      expect(await failure(new Client(first.url).connect())).to.have.property(
        'code',
        'ECONNREFUSED',
      );
      const id = await write();
      await cluster.waitForReplicas();
      await first.start();
      expect(first.port).to.equal(port);
      expect(await first.query(streaming)).to.deep.equal([{ is: true }]);
      await cluster.waitForReplicas();
      expect(await has(first, id)).to.equal(true);
    });

    it(`${end}() ends the primary while the replicas still answer, start() brings it back`, async () => {
      const id = await write();
      await cluster.waitForReplicas();
      const pid = await serverPid(cluster.primary);
      await cluster.primary[end]();
      expect(isAlive(pid)).to.equal(false);
      expect(await has(first, id)).to.equal(true);
      // Without a primary there is nothing to stream from; the replica comes up nevertheless.
      await second.stop();
      await second.start();
      expect(await has(second, id)).to.equal(true);
      await cluster.primary.start();
      const next = await write();
      await cluster.waitForReplicas();
      expect(await has(first, next)).to.equal(true);
      expect(await has(second, next)).to.equal(true);
    });
  }

  it('freeze() leaves connections open and unanswered, thaw() answers them', async () => {
    const client = new Client(first.url);
    await client.connect();
    const pid = await serverPid(first);
    await first.freeze();
    const states = processTable()
      .filter(({ pid: id, parent, state }) => (id === pid || parent === pid) && state !== 'Z')
      .map(({ state }) => state);
    expect(states).to.have.length.above(3);
    expect(new Set(states)).to.deep.equal(new Set(['T']));
    const answer = client.query('SELECT 1 AS one');
    const error = await failure(first.query('SELECT 1'));
    expect(error.message).to.equal('replica1 is frozen: call thaw() first');
    await write();
    await cluster.waitForReplicas();
    await first.thaw();
    expect((await answer).rows).to.deep.equal([{ one: 1 }]);
    await client.end();
  });

  for (const end of ['stop', 'kill'] as const) {
    it(`${end}() ends a frozen node as well`, async () => {
      const pid = await serverPid(second);
      await second.freeze();
      await second[end]();
      expect(isAlive(pid)).to.equal(false);
      await second.start();
      await cluster.waitForReplicas();
    });
  }

  it('takes calls on one node in their order', async () => {
    await Promise.all([first.stop(), first.start(), first.pause(), first.kill(), first.start()]);
    expect(first.paused).to.equal(false);
    const id = await write();
    await cluster.waitForReplicas();
    expect(await has(first, id)).to.equal(true);
  });

  it('promote() makes a replica a primary of its own, for good', async () => {
    await first.pause();
    await first.promote();
    expect(first.promoted).to.equal(true);
    const where = 'SELECT pg_is_in_recovery() AS standby';
    expect(await first.query(where)).to.deep.equal([{ standby: false }]);
    await first.query('INSERT INTO notes VALUES (-1)');
    const id = await write();
    await cluster.waitForReplicas();
    expect(await has(second, id)).to.equal(true);
    expect(await has(first, id)).to.equal(false);
    await first.stop();
    await first.start();
    expect(await first.query(where)).to.deep.equal([{ standby: false }]);
    for (const call of [first.pause(), first.resume(), first.setLag(0), first.promote()]) {
      const error = await failure(call);
      expect(isClusterError(error)).to.equal(true);
      expect(error.message).to.equal('replica1 was promoted: it is no standby any more');
    }
  });
});
