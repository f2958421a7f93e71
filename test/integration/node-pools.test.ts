import type { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { ConnectionAcquireTimeoutError, QueryTypes, Sequelize, type Options } from 'sequelize';
import { isReplicasUnavailableError } from '../../src/errors';
import { isRetryableElsewhere, type StateChange } from '../../src/replicas';
import { internalsOf } from '../../src/sequelize/internals';
import {
  Route,
  installNodePools,
  type InstallNodePoolsParts,
  type NodePoolsInstallation,
} from '../../src/sequelize/node-pools';
import { Nodes } from '../../src/sequelize/nodes';
import { startCluster, type Cluster, type ClusterNode } from '../../src/testing';

const APP = 'fresh-reads-node-pools';
const NAMES = ['replica1', 'replica2'];

describe('one pool a node, on real nodes', () => {
  let cluster: Cluster;
  let opened: Sequelize[];

  before(async () => {
    cluster = await startCluster({ replicas: 2 });
    await cluster.primary.query('CREATE TABLE items (id int)');
    await cluster.waitForReplicas();
  });
  after(() => cluster.stop());

  beforeEach(() => (opened = []));
  afterEach(async () => {
    await Promise.all(opened.map((sequelize) => sequelize.close()));
    for (const node of [cluster.primary, ...cluster.replicas]) await noConnectionsOn(node);
  });

  function connect(options: Options = {}): Sequelize {
    const sequelize = new Sequelize({
      ...cluster.sequelizeOptions(),
      dialectOptions: { application_name: APP },
      pool: { max: 3 },
      ...options,
    });
    opened.push(sequelize);
    return sequelize;
  }

  function installOn(
    sequelize: Sequelize,
    parts: Partial<InstallNodePoolsParts> = {},
  ): NodePoolsInstallation {
    const instance = internalsOf(sequelize);
    return installNodePools(instance, {
      nodes: new Nodes(instance),
      admit: () => Promise.resolve(true),
      lost: () => undefined,
      serves: () => true,
      ...parts,
    });
  }

  async function portOf(sequelize: Sequelize, route?: Route, sql = ''): Promise<number> {
    const [row] = await sequelize.query<{ port: number }>(
      `SELECT inet_server_port() AS port${sql}`,
      { type: QueryTypes.SELECT, transaction: null, ...(route && { useMaster: route as never }) },
    );
    return row!.port;
  }

  const replicaPorts = (): number[] => cluster.replicas.map(({ port }) => port);

  it('opens nothing by itself, then reads from every replica and writes to the primary', async () => {
    const sequelize = connect();
    const { pools } = installOn(sequelize);
    expect(pools.readPools().map(({ size }) => size)).to.deep.equal([0, 0, 0]);
    await sequelize.authenticate();
    const ports = [await portOf(sequelize), await portOf(sequelize)];
    expect(ports.sort()).to.deep.equal(replicaPorts().sort());
    await sequelize.query('INSERT INTO items VALUES (1)');
    await sequelize.transaction(async (transaction) => {
      await sequelize.query('INSERT INTO items VALUES (2)', { transaction });
    });
    expect(pools.writePool.size).to.equal(1);
    const { pool } = internalsOf(sequelize).connectionManager;
    expect(pool.read).to.include({ size: 2, using: 0, maxSize: 9 });
    expect(pool.write).to.include({ size: 1, available: 1, maxSize: 3 });
  });

  it('a node may have pool settings of its own', () => {
    const { replication, ...rest } = cluster.sequelizeOptions();
    const [first, second] = replication.read;
    const read = [{ ...first!, pool: { max: 7 } }, second!];
    const sequelize = connect({ ...rest, replication: { ...replication, read } });
    const { pools } = installOn(sequelize);
    // In the order of the nodes, the primary's pool for reads last.
    expect(pools.readPools().map(({ maxSize }) => maxSize)).to.deep.equal([7, 3, 3]);
    expect(pools.writePool.maxSize).to.equal(3);
  });

  it('three transactions that read outside themselves on a pool of three finish', async () => {
    const sequelize = connect({ pool: { max: 3, acquire: 5000 } });
    installOn(sequelize);
    const open = barrier(3);
    const ports = await Promise.all(
      [1, 2, 3].map(() =>
        sequelize.transaction(async (transaction) => {
          await sequelize.query('INSERT INTO items VALUES (3)', { transaction });
          await open();
          return portOf(sequelize, Route.toPrimary());
        }),
      ),
    );
    expect(new Set(ports)).to.deep.equal(new Set([cluster.primary.port]));
  });

  it('a killed replica under load fails no acquire, and is used again once it is back', async () => {
    const sequelize = connect();
    const { pools } = installOn(sequelize);
    const connects = countConnects(sequelize);
    const [replica] = cluster.replicas;
    const errors: unknown[] = [];
    let reading = true;
    const readers = Array.from({ length: 5 }, async () => {
      while (reading) {
        await portOf(sequelize, undefined, ', pg_sleep(0.002)').catch((error: unknown) =>
          errors.push(error),
        );
      }
    });
    await portOf(sequelize, Route.toReplica(['replica1']));
    const before = connects(replica!.port);
    const down = nextState(pools, 'replica1', 'down');
    await replica!.kill();
    await down;
    const after = connects(replica!.port);
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => portOf(sequelize)));
    const up = nextState(pools, 'replica1', 'up');
    await replica!.start();
    await up;
    expect(await portOf(sequelize, Route.toReplica(['replica1']))).to.equal(replica!.port);
    reading = false;
    await Promise.all(readers);
    // Only what was running when it died; each read is safe to repeat elsewhere.
    expect(errors.length).to.be.at.most(3);
    for (const error of errors) expect(error).to.satisfy(isRetryableElsewhere);
    expect(after - before).to.be.at.most(1);
    expect(pools.fallbacks).to.equal(0);
  });

  it('a replica dead from the start costs one connect, and its reads go on', async () => {
    const sequelize = connect();
    installOn(sequelize);
    const connects = countConnects(sequelize);
    const [replica, other] = cluster.replicas;
    await replica!.stop();
    const route = Route.toReplica(['replica1']);
    expect(await portOf(sequelize, route)).to.equal(cluster.primary.port);
    expect(route.node).to.equal('primary');
    expect(route.refusals[0]).to.include({ node: 'replica1', because: 'connect-failed' });
    for (let i = 0; i < 5; i++) expect(await portOf(sequelize)).to.equal(other!.port);
    const refused = await portOf(
      sequelize,
      Route.toReplica(['replica1'], undefined, 'error'),
    ).catch((error: unknown) => error);
    expect(refused).to.satisfy(isReplicasUnavailableError);
    expect(refused).to.have.property(
      'message',
      'no replica could take the read (replica1: connect-failed), ' +
        "and onNoReplica: 'error' keeps it from the primary.",
    );
    // One by the first read; more only as trials in the background.
    expect(connects(replica!.port)).to.be.at.least(1);
    await replica!.start();
  });

  it('a frozen replica lets go of its readers, then is out, then is back', async () => {
    const sequelize = connect();
    const { pools } = installOn(sequelize, {
      options: { connectTimeoutMs: 1000, replicaTimeoutMs: 300 },
    });
    const [replica, other] = cluster.replicas;
    const onFirst = (): Route => Route.toReplica(['replica1']);
    // Held at the same time, so that each has a connection of its own.
    const held = await Promise.all([1, 2].map(() => pools.acquireRead(onFirst())));
    for (const connection of held) pools.release(connection);
    await replica!.freeze();
    const stuck = await Promise.all(
      [1, 2].map(() => portOf(sequelize, onFirst()).catch((error: unknown) => error)),
    );
    for (const error of stuck) expect(error).to.satisfy(isRetryableElsewhere);
    expect(pools.usable('replica1')).to.equal(false);
    expect(await portOf(sequelize, Route.toReplica(NAMES))).to.equal(other!.port);
    const up = nextState(pools, 'replica1', 'up');
    await replica!.thaw();
    await up;
    expect(await portOf(sequelize, onFirst())).to.equal(replica!.port);
  });

  it('a slow statement on a healthy replica is left alone', async () => {
    const sequelize = connect();
    const { pools } = installOn(sequelize, { options: { replicaTimeoutMs: 30 } });
    const changes: StateChange[] = [];
    pools.onStateChange((change) => changes.push(change));
    const port = await portOf(sequelize, Route.toReplica(['replica2']), ', pg_sleep(0.3)');
    expect(port).to.equal(cluster.replicas[1]!.port);
    expect(changes).to.deep.equal([]);
  });

  it('a connection ended by the server is noticed while it is idle', async () => {
    const lost: string[] = [];
    const sequelize = connect();
    const { pools } = installOn(sequelize, { lost: (node) => lost.push(node) });
    await portOf(sequelize, Route.toReplica(['replica1']));
    const up = nextState(pools, 'replica1', 'up');
    await cluster.replicas[0]!.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${APP}'`,
    );
    await up;
    expect(lost).to.deep.equal(['replica1']);
    expect(pools.replicas()[0]).to.include({ size: 0 });
    await portOf(sequelize, Route.toReplica(['replica1']));
  });

  it('a connection that breaks while it is being set up breaks nothing else', async () => {
    const sequelize = connect();
    installOn(sequelize);
    // Sequelize's very first connect only asks the primary for its version.
    await portOf(sequelize, Route.toPrimary());
    let broken = 0;
    sequelize.addHook('afterConnect', (connection: unknown) => {
      if (++broken === 1) (connection as EventEmitter).emit('error', new Error('broken'));
    });
    const route = Route.toReplica(['replica1']);
    expect(await portOf(sequelize, route)).to.equal(cluster.primary.port);
    expect(route.refusals[0]).to.include({ because: 'connect-failed' });
  });

  it('a replica that turns out to be the primary gets no reads under that name', async () => {
    const options = cluster.sequelizeOptions();
    const { write, read } = options.replication;
    const sequelize = connect({
      replication: { write, read: [{ ...write, name: 'replica1' }, read[1]!] },
    });
    installOn(sequelize, {
      admit: async (node, connection) => {
        const [row] = await connection.query('SELECT pg_is_in_recovery() AS standby');
        return node === 'primary' || row?.['standby'] === true || 'primary';
      },
    });
    const route = Route.toReplica(['replica1']);
    expect(await portOf(sequelize, route)).to.equal(cluster.primary.port);
    expect(route.refusals[0]).to.include({ because: 'is-primary' });
    expect(await portOf(sequelize, Route.toReplica(NAMES))).to.equal(read[1]!.port);
  });

  it("an exhausted pool is Sequelize's own error", async () => {
    const sequelize = connect({ pool: { max: 1, acquire: 2000 } });
    installOn(sequelize);
    const held = await sequelize.transaction();
    const refused = await sequelize.transaction().catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(ConnectionAcquireTimeoutError);
    await held.rollback();
  });

  it('close() waits for what is in use and closes what is idle', async () => {
    const sequelize = connect();
    installOn(sequelize);
    await Promise.all([portOf(sequelize), portOf(sequelize), portOf(sequelize, Route.toPrimary())]);
    const slow = portOf(sequelize, undefined, ', pg_sleep(0.2)');
    const transaction = await sequelize.transaction();
    const closed = sequelize.close();
    await sequelize.query('SELECT 1', { transaction });
    await transaction.commit();
    expect(await slow).to.be.a('number');
    await closed;
    for (const node of [cluster.primary, ...cluster.replicas]) await noConnectionsOn(node);
  });

  it('connections in use go back to where they came from, when it comes and when it goes', async () => {
    const sequelize = connect();
    const manager = internalsOf(sequelize).connectionManager;
    const stock = manager.pool;
    const older = await sequelize.transaction();
    const { pools, remove } = installOn(sequelize);
    expect(manager.pool).not.to.equal(stock);
    const newer = await sequelize.transaction();
    await older.commit();
    expect(stock.write).to.include({ using: 0, available: 1 });
    remove();
    remove();
    // Ours still has a connection out; new ones come from the stock pool.
    await portOf(sequelize);
    expect(stock.read).to.include({ size: 1 });
    expect(manager.pool).not.to.equal(stock);
    expect(pools.writePool.using).to.equal(1);
    await newer.commit();
    await sequelize.close();
    expect(manager.pool).to.equal(stock);
    expect(pools.writePool.size).to.equal(0);
  });

  it('a failed COMMIT closes its connection in the pool it came from', async () => {
    const sequelize = connect();
    const { pools } = installOn(sequelize);
    await sequelize.query(
      'CREATE TABLE IF NOT EXISTS strict (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)',
    );
    const transaction = await sequelize.transaction();
    await sequelize.query('INSERT INTO strict VALUES (1), (1)', { transaction });
    const refused = await transaction.commit().catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
    expect(pools.writePool.using).to.equal(0);
  });
});

/** Resolves once nobody of this file is connected to the node; the time limit is the test's own. */
async function noConnectionsOn(node: ClusterNode): Promise<void> {
  const sql = `SELECT count(*)::int AS left FROM pg_stat_activity WHERE application_name = '${APP}'`;
  while (((await node.query(sql))[0] as { left: number }).left > 0);
}

function nextState(
  pools: NodePoolsInstallation['pools'],
  node: string,
  kind: StateChange['to'],
): Promise<void> {
  return new Promise((resolve) => {
    const subscription = pools.onStateChange((change) => {
      if (change.node !== node || change.to !== kind) return;
      subscription.dispose();
      resolve();
    });
  });
}

function countConnects(sequelize: Sequelize): (port: number) => number {
  const ports: unknown[] = [];
  sequelize.addHook('beforeConnect', ({ port }: { port?: unknown }) => void ports.push(port));
  return (port) => ports.filter((one) => Number(one) === port).length;
}

/** Holds back `count` callers until all of them have come. */
function barrier(count: number): () => Promise<void> {
  let open = (): void => undefined;
  const all = new Promise<void>((resolve) => (open = resolve));
  let missing = count;
  return () => {
    missing -= 1;
    if (missing === 0) open();
    return all;
  };
}
