import { expect } from 'chai';
import { Proven } from '../../src/freshness';
import { startCluster, type Cluster, type ReplicaNode } from '../../src/testing';
import { until } from '../../src/testing/poll';
import { TestConnection, TestEnvironment } from './environment';

const DEADLINE_MS = 15_000;

/**
 * `replica1` is promoted while the old primary lives on; `replica2` goes on following the old one,
 * `replica3` is made to follow the new one. Three policies look on: one of a role that may see
 * timelines, one of a role that may not, one that goes by heartbeats.
 */
describe('Proven, after a failover with two primaries', () => {
  let cluster: Cluster;
  let heir: ReplicaNode;
  let loyal: ReplicaNode;
  let third: ReplicaNode;
  let app: TestConnection;
  const seeing = { name: 'sees timelines', login: undefined, heartbeat: undefined };
  const blind = {
    name: 'sees no timelines',
    login: { user: 'ordinary', password: 'secret' },
    heartbeat: undefined,
  };
  const beating = { ...blind, name: 'goes by heartbeats', heartbeat: { table: 'beats' } };
  const worlds = new Map<string, { environment: TestEnvironment; policy: Proven }>();

  before(async () => {
    cluster = await startCluster({ replicas: 3 });
    [heir, loyal, third] = cluster.replicas as [ReplicaNode, ReplicaNode, ReplicaNode];
    for (const sql of [
      `CREATE ROLE ordinary LOGIN PASSWORD 'secret'`,
      'GRANT CREATE ON SCHEMA public TO ordinary',
      'CREATE TABLE notes (id int)',
    ]) {
      await cluster.primary.query(sql);
    }
    await cluster.waitForReplicas();
    app = await TestConnection.open(cluster.primary);
    for (const { name, login, heartbeat } of [seeing, blind, beating]) {
      const environment = new TestEnvironment(cluster);
      environment.login = login;
      const policy = new Proven(environment, { probeIntervalMs: 10, heartbeat });
      worlds.set(name, { environment, policy });
      expect(await policy.admit('primary', app)).to.equal(true);
    }
    const marks = await write(app);
    for (const [name, { policy }] of worlds) {
      for (const node of cluster.replicas) {
        const mark = marks.get(name)!;
        expect(await policy.waitUntilShown([node.name], mark, DEADLINE_MS), name).to.equal(true);
      }
    }

    // From its next start on it follows the heir.
    await third.query(
      `ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=${heir.port} user=${heir.user} password=${heir.password}'`,
    );
    await third.stop();
    await heir.promote();
    app = await TestConnection.open(heir);
  });

  after(async () => {
    await Promise.all([...worlds.values()].map(({ policy }) => policy.close()));
    await app.end();
    await cluster.stop();
  });

  async function write(connection: TestConnection) {
    await connection.query('INSERT INTO notes VALUES (1)');
    return new Map(
      [...worlds].map(([name, { environment, policy }]) => {
        const mark = environment.commit();
        policy.committed(mark);
        return [name, mark];
      }),
    );
  }

  /** Both primaries write; the old one writes more, so that its standby is further by the numbers. */
  async function writeBoth() {
    const marks = await write(app);
    for (let i = 0; i < 20; i++) {
      await cluster.primary.query('INSERT INTO notes SELECT generate_series(1, 1000)');
    }
    const [row] = await app.query('SELECT pg_current_wal_insert_lsn()::text AS position');
    await until('the loyal standby is further', async () => {
      const [answer] = await loyal.query(
        'SELECT pg_last_wal_replay_lsn() > $1::pg_lsn AS further',
        [row!['position']],
      );
      return answer!['further'] === true;
    });
    return marks;
  }

  it('notices the new primary by the first connection that leads to it', async () => {
    for (const [name, { environment, policy }] of worlds) {
      environment.servers.set('primary', heir);
      expect(await policy.admit('primary', app), name).to.equal(true);
      expect(environment.changed, name).to.include('primary');
    }
  });

  it('lets no standby of the old primary pass for one of the new', async () => {
    const marks = await writeBoth();
    const asked = new Map(
      [...worlds].map(([name, { environment }]) => [name, environment.asked('replica2')]),
    );
    for (const [name, { environment, policy }] of worlds) {
      const before = asked.get(name)!;
      await until(`${name}: it was asked`, () => environment.asked('replica2') > before + 1);
      expect(policy.serves('replica2'), name).to.equal(false);
      expect(policy.shows('replica2', marks.get(name)!), name).to.equal(false);
      const connection = await TestConnection.open(loyal);
      expect(await policy.admit('replica2', connection), name).to.equal(false);
      await connection.end();
    }
  });

  it('does not trust the old primary', async () => {
    const old = await TestConnection.open(cluster.primary);
    for (const [name, { environment, policy }] of worlds) {
      expect(await policy.admit('primary', old), name).to.equal(false);
      expect(environment.warnings.join(), name).to.match(/an old primary/);
    }
    await old.end();
  });

  it('sees that the promoted replica is the primary now', async () => {
    const marks = await write(app);
    for (const [name, { policy }] of worlds) {
      await until(`${name}: it serves`, () => policy.serves('replica1'));
      expect(policy.shows('replica1', marks.get(name)!), name).to.equal(true);
    }
  });

  it('takes a standby back once it shows what only the new primary can have written', async () => {
    await third.start();
    const marks = await write(app);
    for (const { name } of [seeing, beating]) {
      const { policy } = worlds.get(name)!;
      await until(`${name}: it serves`, () => policy.serves('replica3'));
      expect(await policy.waitUntilShown(['replica3'], marks.get(name)!, DEADLINE_MS)).to.equal(
        true,
      );
    }
  });

  it('takes it back at its next restartpoint where the role may not see its timeline', async () => {
    const { environment, policy } = worlds.get(blind.name)!;
    await heir.query('CHECKPOINT');
    await until('it serves', async () => {
      await third.query('CHECKPOINT');
      return policy.serves('replica3');
    });
    const mark = (await write(app)).get(blind.name)!;
    expect(await policy.waitUntilShown(['replica3'], mark, DEADLINE_MS)).to.equal(true);
    expect(environment.warnings.join()).to.match(/pg_read_all_stats/);
  });
});
