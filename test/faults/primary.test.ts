import { expect } from 'chai';
import { Client } from 'pg';
import type { Options } from 'sequelize';
import { Ground, failure, servers, until, type App } from './support';
import { TcpProxy } from '../support/tcp-proxy';

const READ = 'SELECT version FROM rare';

for (const { title, options } of servers()) {
  describe(`a primary that is away (${title})`, () => {
    let ground: Ground;

    before(async () => {
      ground = await Ground.start(options);
    });
    after(() => ground.stop());
    afterEach(() => ground.heal());

    for (const how of ['stop', 'kill'] as const) {
      it(`${how}: replicas go on serving, and writes work again once it is back`, async () => {
        const app = await ground.readyApp();
        await app.sequelize.query('UPDATE rare SET version = version + 1');
        await app.untilServedBy('replica1', 'rare');
        await app.untilExpired();
        await ground.cluster.primary[how]();
        for (let i = 0; i < 20; i++) {
          await app.select('SELECT count(*) FROM items');
          expect(app.last).to.include({ target: 'replica', reason: 'no-live-writes' });
        }
        await failure(app.sequelize.query('UPDATE rare SET version = version + 1'));
        await ground.cluster.primary.start();
        await app.sequelize.query('UPDATE rare SET version = 77');
        const [row] = await app.select<{ version: number }>('SELECT version FROM rare');
        expect(row?.version).to.equal(77);
        await app.untilServedBy('replica1', 'rare');
        await app.untilServedBy('replica2', 'rare');
      });
    }

    it('a write that it died under is held back until its outcome is certain', async () => {
      const app = await ground.readyApp();
      const died = failure(
        app.sequelize.query('UPDATE rare SET version = length(pg_sleep(60)::text)'),
      );
      await started(ground, 'pg_sleep');
      await ground.cluster.primary.kill();
      await died;
      await ground.cluster.primary.start();
      await app.select('SELECT version FROM rare');
      await app.untilServedBy('replica1', 'rare');
    });

    it('a write that its client gave up, and that commits later, is held back until then', async () => {
      const app = await ground.readyApp({}, { dialectOptions: { query_timeout: 1000 } });
      await app.sequelize.query('UPDATE rare SET version = 1');
      await app.untilServedBy('replica1', 'rare');
      for (const replica of ground.cluster.replicas) await replica.pause();
      // It waits for the row until the client has given up.
      const holder = await locked(ground, 'rare');
      const gaveUp = await failure(app.sequelize.query('UPDATE rare SET version = 2'));
      expect(gaveUp.message).to.equal('Query read timeout');
      await holder.end();
      const versionOf = async () => (await app.select<{ version: number }>(READ))[0]?.version;
      await until(async () => (await versionOf()) === 2);
      for (let i = 0; i < 50; i++) expect(await versionOf()).to.equal(2);
      for (const replica of ground.cluster.replicas) await replica.resume();
      await app.untilServedBy('replica1', 'rare');
      await app.untilExpired();
    });

    for (const databaseVersion of [0, '15.0.0']) {
      it(`down at the start, ${databaseVersion || 'no'} databaseVersion: replicas serve`, async () => {
        await ground.cluster.primary.stop();
        // An option that Sequelize's types do not have.
        const app = ground.app({}, { databaseVersion } as Options);
        const rows = await Promise.all(
          Array.from({ length: 10 }, () => app.select('SELECT count(*)::int AS n FROM items')),
        );
        expect(rows.flat()).to.deep.equal(Array(10).fill({ n: 100 }));
        expect(app.last.target).to.equal('replica');
        await ground.cluster.primary.start();
        await app.reads.ready();
        await app.sequelize.query('UPDATE rare SET version = 78');
        const [row] = await app.select<{ version: number }>('SELECT version FROM rare');
        expect(row?.version).to.equal(78);
        await app.untilServedBy('replica1', 'rare');
      });
    }
  });
}

describe('a promotion', () => {
  let ground: Ground;

  beforeEach(async () => {
    ground = await Ground.start();
  });
  afterEach(async () => {
    await ground.heal();
    await ground.stop();
  });

  async function write(app: App, version: number): Promise<void> {
    await app.sequelize.query(`UPDATE rare SET version = ${version}`);
  }

  async function expectVersion(app: App, version: number): Promise<void> {
    const [row] = await app.select<{ version: number }>('SELECT version FROM rare');
    expect(row?.version).to.equal(version);
  }

  it('of a replica that stays in the list: it is read no more, the other one is', async () => {
    const app = await ground.readyApp();
    await write(app, 1);
    await app.untilServedBy('replica1', 'rare');
    await app.untilServedBy('replica2', 'rare');
    await ground.replica1.promote();
    for (let version = 2; version < 30; version++) {
      await write(app, version);
      for (let i = 0; i < 3; i++) await expectVersion(app, version);
    }
    await app.untilServedBy('replica2', 'rare');
    app.decisions.length = 0;
    for (let i = 0; i < 20; i++) await expectVersion(app, 29);
    expect(app.decisions.map(({ node }) => node)).to.not.include('replica1');
  });

  it('behind the name of the primary: the standby of the old one serves nothing', async () => {
    const proxy = await TcpProxy.start(ground.cluster.primary.port);
    const { replication, ...rest } = ground.cluster.sequelizeOptions();
    const app = await ground.readyApp(
      {},
      {
        ...rest,
        replication: { ...replication, write: { ...replication.write, port: proxy.port } },
      },
    );
    await write(app, 1);
    await app.untilServedBy('replica1', 'rare');
    await app.untilServedBy('replica2', 'rare');
    await ground.replica1.promote();
    // New connections go to the new primary; those that are open still lead to the old one.
    proxy.target = ground.replica1.port;
    // What the old one acknowledges from now on is lost, so the writes begin when that is noticed.
    await until(async () => {
      const answers = await Promise.all(
        [1, 2, 3].map(() =>
          app.sequelize.query('SELECT inet_server_port() AS port, pg_sleep(0.05) FOR UPDATE'),
        ),
      );
      return answers.every(([rows]) => {
        const [row] = rows as { port: number }[];
        return row?.port === ground.replica1.port;
      });
    });
    for (let version = 2; version < 30; version++) {
      await write(app, version);
      for (let i = 0; i < 3; i++) await expectVersion(app, version);
    }
    // The old one goes on on its own, and so does the standby that follows it.
    await ground.cluster.primary.query('UPDATE rare SET version = -1');
    await ground.cluster.primary.query(
      `INSERT INTO bulk SELECT repeat('x', 1000) FROM generate_series(1, 3000)`,
    );
    for (let i = 0; i < 30; i++) await expectVersion(app, 29);
    await proxy.stop();
  });

  it('behind the name of the primary, with its connections cut', async () => {
    const proxy = await TcpProxy.start(ground.cluster.primary.port);
    const { replication, ...rest } = ground.cluster.sequelizeOptions();
    const app = await ground.readyApp(
      {},
      {
        ...rest,
        replication: { ...replication, write: { ...replication.write, port: proxy.port } },
      },
    );
    await write(app, 1);
    await app.untilServedBy('replica2', 'rare');
    await ground.replica1.promote();
    proxy.target = ground.replica1.port;
    proxy.dropAll();
    // One that is sent before the loss is noticed fails, as it would without us.
    await write(app, 2).catch(() => undefined);
    for (let version = 2; version < 30; version++) {
      await write(app, version);
      for (let i = 0; i < 3; i++) await expectVersion(app, version);
    }
    await ground.cluster.primary.query(
      `INSERT INTO bulk SELECT repeat('x', 1000) FROM generate_series(1, 3000)`,
    );
    app.decisions.length = 0;
    for (let i = 0; i < 30; i++) await expectVersion(app, 29);
    expect(app.decisions.map(({ node }) => node)).to.not.include('replica2');
    await proxy.stop();
  });
});

/** Resolves once a statement with `text` in it is at work on the primary. */
/** Locks a table against writes until the connection that is returned ends. */
async function locked({ cluster }: Ground, table: string): Promise<Client> {
  const client = new Client(cluster.primary.url);
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
  return client;
}

async function started(ground: Ground, text: string): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity
    WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()`;
  while ((await ground.cluster.primary.query(sql, [`%${text}%`])).length === 0);
}
