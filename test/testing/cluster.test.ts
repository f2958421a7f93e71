import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { Sequelize } from 'sequelize';
import { isClusterError, isOptionsError } from '../../src/errors';
import { startCluster, type Cluster } from '../../src/testing';
import { until } from '../../src/testing/poll';
import { freePort } from '../../src/testing/ports';
import { processSpace, processTable } from '../../src/testing/processes';
import { isAlive, remainsOf } from './support';

const hostEvents = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit', 'beforeExit', 'uncaughtException'];
const listenersOfTheHost = () => hostEvents.map((event) => process.listenerCount(event));

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('it was expected to reject'),
    (error: unknown) => error as Error,
  );
}

describe('startCluster', () => {
  let cluster: Cluster;

  // Other files that this process has run may have a cluster of their own.
  const foldersOfThisProcess = () => {
    const mine = `fresh-reads-cluster-${processSpace()}-${process.pid}-`;
    return readdirSync(tmpdir()).filter((name) => name.startsWith(mine));
  };
  let earlier: string[];

  before(async () => {
    earlier = foldersOfThisProcess();
    cluster = await startCluster({
      database: 'it\'s "quoted" \\ here',
      settings: { 'my.text': `a 'quote', a \\ and\na new line`, work_mem: '5MB' },
    });
    await cluster.primary.query('CREATE TABLE notes (id int PRIMARY KEY)');
  });

  after(() => cluster.stop());

  it('gives a primary and standbys that stream from it', async () => {
    const names = [cluster.primary, ...cluster.replicas].map(({ name }) => name);
    expect(names).to.deep.equal(['primary', 'replica1', 'replica2']);
    const streaming = await cluster.primary.query(
      'SELECT application_name AS name, state, sync_state FROM pg_stat_replication ORDER BY 1',
    );
    expect(streaming).to.deep.equal([
      { name: 'replica1', state: 'streaming', sync_state: 'async' },
      { name: 'replica2', state: 'streaming', sync_state: 'async' },
    ]);
    for (const replica of cluster.replicas) {
      expect(await replica.query('SELECT pg_is_in_recovery() AS standby')).to.deep.equal([
        { standby: true },
      ]);
    }
  });

  it('shows a commit on every replica once waitForReplicas() has resolved', async () => {
    for (let id = 1; id <= 20; id++) {
      await cluster.primary.query('INSERT INTO notes VALUES ($1)', [id]);
      await cluster.waitForReplicas();
      for (const replica of cluster.replicas) {
        expect(await replica.query('SELECT max(id) AS id FROM notes')).to.deep.equal([{ id }]);
      }
    }
  });

  it('reaches commits that nobody flushed yet', async () => {
    await cluster.primary.query(
      `DO $$ BEGIN SET LOCAL synchronous_commit = off; INSERT INTO notes VALUES (1000); END $$`,
    );
    await cluster.waitForReplicas();
    const [row] = (await cluster.replicas[0]?.query('SELECT id FROM notes WHERE id = 1000')) ?? [];
    expect(row).to.deep.equal({ id: 1000 });
  });

  it('gives up waiting for a replica that does not come, naming it', async () => {
    await cluster.replicas[1]?.setLag(3_600_000);
    await cluster.primary.query('INSERT INTO notes VALUES (2000)');
    const error = await failure(cluster.waitForReplicas({ timeoutMs: 0 }));
    expect(isClusterError(error)).to.equal(true);
    expect(error.message).to.match(
      /^gave up after 0 ms waiting until replica2 has replayed up to [\dA-F]+\/[\dA-F]+$/,
    );
    await cluster.replicas[1]?.setLag(0);
    await cluster.waitForReplicas();
  });

  it('refuses a timeout that is no number', async () => {
    const error = await failure(cluster.waitForReplicas({ timeoutMs: '5s' as unknown as number }));
    expect(isOptionsError(error)).to.equal(true);
    expect(error.message).to.equal(
      'the option timeoutMs must be a number of milliseconds, 0 or more; got "5s"',
    );
  });

  it('connects Sequelize: writes to the primary, reads from the replicas', async () => {
    const options = cluster.sequelizeOptions();
    expect(options.replication.read.map(({ name }) => name)).to.deep.equal([
      'replica1',
      'replica2',
    ]);
    expect(options).to.not.have.property('pool');
    const sequelize = new Sequelize(options);
    try {
      const ask = (useMaster: boolean) =>
        sequelize.query('SELECT inet_server_port() AS port, current_database() AS database', {
          plain: true,
          type: 'SELECT',
          useMaster,
        });
      const { port, database } = cluster.primary;
      expect(await ask(true)).to.deep.equal({ port, database });
      const read = (await ask(false)) as { port: number };
      expect(cluster.replicas.map((replica) => replica.port)).to.include(read.port);
    } finally {
      await sequelize.close();
    }
  });

  it('gives connection URLs', async () => {
    for (const node of [cluster.primary, ...cluster.replicas]) {
      const client = new Client(node.url);
      await client.connect();
      const { rows } = await client.query('SELECT current_database() AS name');
      await client.end();
      expect(rows).to.deep.equal([{ name: 'it\'s "quoted" \\ here' }]);
    }
  });

  it('lets nobody in without the password', async () => {
    const { host, port, user, database } = cluster.primary;
    const client = new Client({ host, port, user, database, password: 'postgres' });
    const error = await failure(client.connect());
    expect(error).to.have.property('code', '28P01');
  });

  it('applies the settings to every node, beside its own', async () => {
    for (const node of [cluster.primary, ...cluster.replicas]) {
      const [row] = await node.query(
        `SELECT current_setting('my.text') AS text, current_setting('work_mem') AS work_mem,
                current_setting('synchronous_commit') AS synchronous_commit,
                current_setting('listen_addresses') AS listen_addresses`,
      );
      expect(row).to.deep.equal({
        text: `a 'quote', a \\ and\na new line`,
        work_mem: '5MB',
        synchronous_commit: 'on',
        listen_addresses: '127.0.0.1',
      });
    }
  });

  it('says what the server said when it does not start', async () => {
    const error = await failure(
      startCluster({ replicas: 0, settings: { shared_buffers: 'plenty' } }),
    );
    expect(isClusterError(error)).to.equal(true);
    expect(error.message).to.match(/^primary did not start; the end of its log:\n/);
    expect(error.message).to.include('invalid value for parameter "shared_buffers": "plenty"');
  });

  it('leaves nothing of a start that failed', async () => {
    const { folder } = await remainsOf(cluster);
    const left = foldersOfThisProcess().filter((name) => !earlier.includes(name));
    expect(left).to.deep.equal([path.basename(folder)]);
  });

  it('refuses a port that is taken', async () => {
    const { port } = cluster.primary;
    const error = await failure(startCluster({ replicas: 0, port }));
    expect(isClusterError(error)).to.equal(true);
    expect(error.message).to.include('Address already in use');
  });

  it('runs beside another one: another system, on other ports, with no listener in the host', async () => {
    const listeners = listenersOfTheHost();
    let remains;
    {
      await using other = await startCluster({ replicas: 0 });
      expect(listenersOfTheHost()).to.deep.equal(listeners);
      const identify = 'SELECT system_identifier AS id FROM pg_control_system()';
      const [mine] = await cluster.primary.query(identify);
      const [others] = await other.primary.query(identify);
      expect(mine?.['id']).to.be.a('string').and.not.equal(others?.['id']);
      expect(other.primary.port).to.not.equal(cluster.primary.port);
      remains = await remainsOf(other);
    }
    expect(existsSync(remains.folder)).to.equal(false);
    expect(remains.pids.filter(isAlive)).to.deep.equal([]);
  });

  it('takes the port it is given, and leaves nothing after stop()', async () => {
    const port = await freePort();
    const other = await startCluster({ replicas: 1, port });
    const remains = await remainsOf(other);
    expect(other.primary.port).to.equal(port);
    expect(other.replicas[0]?.port).to.equal(port + 1);
    expect(remains.pids.filter(isAlive)).to.have.length(2);
    await Promise.all([other.stop(), other.stop()]);
    expect(existsSync(remains.folder)).to.equal(false);
    expect(remains.pids.filter(isAlive)).to.deep.equal([]);
    await other.stop();
    const error = await failure(other.primary.start());
    expect(error.message).to.equal('primary is gone: its cluster was stopped');
  });

  it('leaves nothing after stop() even if the guard of its folder was killed', async () => {
    const children = () =>
      processTable().flatMap(({ pid, parent }) => (parent === process.pid ? [pid] : []));
    const others = children();
    const other = await startCluster({ replicas: 0 });
    const remains = await remainsOf(other);
    const guard = children().filter((pid) => !others.includes(pid) && !remains.pids.includes(pid));
    expect(guard).to.have.length(1);
    process.kill(guard[0]!, 'SIGKILL');
    await until('the guard is gone', () => !guard.some(isAlive));
    expect(existsSync(remains.folder)).to.equal(true);
    await other.stop();
    expect(existsSync(remains.folder)).to.equal(false);
    expect(remains.pids.filter(isAlive)).to.deep.equal([]);
  });
});
