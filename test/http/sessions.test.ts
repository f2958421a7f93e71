import { expect } from 'chai';
import { setImmediate as immediate } from 'node:timers/promises';
import express, { type Express } from 'express';
import { QueryTypes, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads, type FreshReadsOptions } from '../../src';
import { freshReadsMiddleware, memorySessionStore, type SessionStore } from '../../src/http';
import { TokenCodec } from '../../src/operation';
import { DecisionLog } from '../support/decisions';
import { Client, serve, type TestServer } from '../support/http';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

const SECRET = 'a secret of these tests, long enough';
const TABLES = Array.from({ length: 10 }, (_, index) => `t${index}`);

interface Counted {
  readonly n: number;
  readonly standby: boolean;
}

describe('sessions over HTTP', () => {
  let database: TestDatabase;
  const servers: TestServer[] = [];

  before(async () => {
    database = await createDatabase(
      ...TABLES.map((table) => `CREATE TABLE ${table} (id serial PRIMARY KEY)`),
    );
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    await database.resumeReplicas();
  });
  after(() => database.close());

  async function count(sequelize: Sequelize, table: string): Promise<Counted> {
    const [row] = await sequelize.query<Counted>(
      `SELECT count(*)::int AS n, pg_is_in_recovery() AS standby FROM ${table}`,
      { type: QueryTypes.SELECT },
    );
    return row!;
  }

  const insert = (sequelize: Sequelize, table: string) =>
    sequelize.query(`INSERT INTO ${table} DEFAULT VALUES`);

  /** A service over tables: POST writes one, GET counts one and says which node answered. */
  function routes(app: Express, sequelize: Sequelize): void {
    app.post('/:table', async ({ params }, response) => {
      await insert(sequelize, params.table);
      response.json({});
    });
    app.get('/:table', async ({ params }, response) => {
      response.json(await count(sequelize, params.table));
    });
  }

  interface Service {
    readonly sequelize: Sequelize;
    readonly reads: FreshReads;
    readonly client: Client;
  }

  async function service(
    options: Parameters<typeof freshReadsMiddleware>[1] = {},
    handleOptions: FreshReadsOptions = {},
    more: (app: Express, sequelize: Sequelize) => void = () => undefined,
  ): Promise<Service> {
    const sequelize = database.connect();
    const reads = freshReads(sequelize, { sessionSecret: SECRET, ...handleOptions });
    await reads.ready();
    const app = express();
    app.use(freshReadsMiddleware(reads, options));
    more(app, sequelize);
    routes(app, sequelize);
    const server = await serve(app);
    servers.push(server);
    return { sequelize, reads, client: new Client(server.url) };
  }

  it('a client reads what it wrote, and others read on replicas', async () => {
    const { client } = await service();
    await database.pauseReplicas();
    const before = await client.get<Counted>('/t0');
    expect(before.standby).to.equal(true);
    await client.post('/t0');
    expect(await client.get('/t0')).to.deep.equal({ n: before.n + 1, standby: false });
    expect(await client.get('/t1')).to.have.property('standby', true);
    const other = new Client(client.url);
    expect(await other.get('/t0')).to.deep.equal(before);
  });

  it('ten parallel writes each set a cookie, and none of them is lost', async () => {
    const { client } = await service();
    const before = await Promise.all(TABLES.map((table) => client.get<Counted>(`/${table}`)));
    await database.pauseReplicas();
    await client.post('/t0');
    await Promise.all(TABLES.map((table) => client.post(`/${table}`)));
    const after = await Promise.all(TABLES.map((table) => client.get<Counted>(`/${table}`)));
    after.forEach(({ n, standby }, index) => {
      expect(standby, TABLES[index]).to.equal(false);
      expect(n).to.equal(before[index]!.n + (index === 0 ? 2 : 1));
    });
    // Read one after the other they come together in one cookie.
    await client.get('/t0');
    expect(client.jar.names).to.have.length(1);
    for (const table of TABLES) {
      expect(await client.get(`/${table}`), table).to.have.property('standby', false);
    }
  });

  it('sets a cookie that scripts and other sites do not get', async () => {
    const { client } = await service();
    await database.pauseReplicas();
    await client.post('/t0');
    expect(client.jar.received).to.have.length(1);
    expect(client.jar.received[0]).to.match(
      /^fresh-reads-[\w-]+=[\w-]+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it('sets it as told, and Secure in production', async () => {
    const cookie = { name: 'fr', sameSite: 'strict', path: '/t0', domain: 'example.com' } as const;
    const { NODE_ENV } = process.env;
    process.env['NODE_ENV'] = 'production';
    let client: Client;
    try {
      ({ client } = await service({ cookie }));
    } finally {
      if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
      else process.env['NODE_ENV'] = NODE_ENV;
    }
    await database.pauseReplicas();
    await client.post('/t0');
    const [line] = client.jar.received;
    expect(line).to.match(/^fr-[\w-]+=/);
    for (const attribute of [
      'Secure',
      'SameSite=Strict',
      'Path=/t0',
      'Domain=example.com',
      'HttpOnly',
    ]) {
      expect(line?.split('; ')).to.include(attribute);
    }
  });

  it('sets none for a request that has written nothing', async () => {
    const { client } = await service();
    await client.get('/t0');
    expect(client.jar.received).to.deep.equal([]);
  });

  it('deletes it once every replica has what it tells of', async () => {
    const { client, reads } = await service();
    await database.pauseReplicas();
    await client.post('/t0');
    await client.get('/t0');
    expect(client.jar.names).to.have.length(1);
    await database.resumeReplicas();
    // Another write makes the probes look at the replicas again.
    while (reads.status().liveWrites.length > 0) await new Client(client.url).get('/t0');
    await client.get('/t0');
    expect(client.jar.names).to.deep.equal([]);
    expect(client.jar.received.at(-1)).to.match(/^fresh-reads-[\w-]+=; Max-Age=0; Path=\//);
    expect(await client.get('/t0')).to.have.property('standby', true);
  });

  it('keeps the cookies of others', async () => {
    const { client } = await service({}, {}, (app, sequelize) =>
      app.post('/login', async (_, response) => {
        await insert(sequelize, 't0');
        response.cookie('sid', 'x').cookie('theme', 'dark').json({});
      }),
    );
    await database.pauseReplicas();
    await client.post('/login');
    expect(client.jar.names.map((name) => name.replace(/-[\w-]{8}$/, '-*'))).to.have.members([
      'sid',
      'theme',
      'fresh-reads-*',
    ]);
  });

  it('waits for writes that are still under way when the response is sent', async () => {
    const early = service({}, {}, (app, sequelize) =>
      app.post('/early', async (_, response) => {
        void sequelize.query('INSERT INTO t0 SELECT FROM pg_sleep(0.1)');
        const { reads } = await early;
        while (reads.history().length === 0) await immediate();
        expect(reads.history()[0]).to.have.property('state', 'in-flight');
        response.json({});
      }),
    );
    const { client } = await early;
    const before = await client.get<Counted>('/t0');
    await database.pauseReplicas();
    await client.post('/early');
    expect(await client.get('/t0')).to.deep.equal({ n: before.n + 1, standby: false });
  });

  describe('by header', () => {
    const HEADER = 'x-fresh-reads-token';

    it('carries tokens for clients without cookies', async () => {
      const { client } = await service({ cookie: false });
      await database.pauseReplicas();
      const tokens: string[] = [];
      for (const table of ['t0', 't1']) {
        const response = await client.fetch(`/${table}`, { method: 'POST' });
        tokens.push(response.headers.get(HEADER)!);
      }
      expect(client.jar.received).to.deep.equal([]);
      const [first, second] = tokens;
      const standby = async (table: string, header: string) =>
        (await client.get<Counted>(`/${table}`, { [HEADER]: header })).standby;
      expect(await standby('t0', first!)).to.equal(false);
      expect(await standby('t1', first!)).to.equal(true);
      expect(await standby('t0', `${first}, ${second}`)).to.equal(false);
      expect(await standby('t1', `${first}, ${second}`)).to.equal(false);
      // One that carries on what it was given.
      const response = await client.fetch('/t2', { headers: { [HEADER]: tokens.join(',') } });
      const merged = response.headers.get(HEADER)!;
      expect(await standby('t0', merged)).to.equal(false);
      expect(await standby('t1', merged)).to.equal(false);
    });

    it('takes a name of your own', async () => {
      const { client } = await service({ header: 'X-Mine', cookie: false });
      await database.pauseReplicas();
      const { headers } = await client.fetch('/t0', { method: 'POST' });
      expect(headers.get('x-mine')).to.match(/^[\w-]+$/);
    });
  });

  describe('tokens that are not what they should be', () => {
    it('are ignored and counted, and break nothing', async () => {
      const foreign = await service({}, { sessionSecret: 'the secret of somebody else' });
      const { client, reads } = await service();
      await database.pauseReplicas();
      await client.post('/t0');
      await foreign.client.post('/t0');
      const [good = ''] = client.jar.values;
      const flipped = good.slice(0, -3) + (good.at(-3) === 'A' ? 'B' : 'A') + good.slice(-2);
      const bad = [
        flipped,
        good.slice(0, -4),
        good + good,
        'x',
        '%00',
        'z'.repeat(3000),
        ...foreign.client.jar.values,
      ];
      for (const token of bad) {
        const { ignored } = reads.status().tokens;
        const forger = new Client(client.url);
        forger.jar.set('fresh-reads-forged', token);
        expect(await forger.get('/t0'), token).to.have.property('standby', true);
        expect(reads.status().tokens.ignored, token).to.equal(ignored + 1);
        // It may be that of another service on this host.
        expect(forger.jar.names).to.deep.equal(['fresh-reads-forged']);
      }
      expect(await client.get('/t0')).to.have.property('standby', false);
    });

    it('mean everything when they are too old, or of another server', async () => {
      const { client, reads } = await service();
      // Makes the place in the log known that tokens are held against.
      await client.post('/t0');
      while (reads.status().liveWrites.length > 0) await client.get('/t0');
      await database.pauseReplicas();
      // Something that the replicas do not have, so that they can't be proven to have everything.
      await database.run('INSERT INTO t9 DEFAULT VALUES');
      const codec = new TokenCodec([SECRET]);
      const now = { issuedAtMs: Date.now(), place: undefined, seen: undefined, writes: [] };
      const cases: [object, boolean][] = [
        [now, true],
        [{ ...now, issuedAtMs: Date.now() - 61 * 60_000 }, false],
        [{ ...now, issuedAtMs: Date.now() + 10 * 60_000 }, false],
        [{ ...now, place: { system: '7', timeline: 1 } }, false],
      ];
      for (const [contents, standby] of cases) {
        const { widened } = reads.status().tokens;
        const old = new Client(client.url);
        old.jar.set('fresh-reads-old', codec.write({ ...now, ...contents }));
        expect(await old.get('/t5'), JSON.stringify(contents)).to.have.property('standby', standby);
        expect(reads.status().tokens.widened).to.equal(widened + (standby ? 0 : 1));
        // It stays true for the client until the replicas are there.
        expect(await old.get('/t6')).to.have.property('standby', standby);
      }
    });

    it('are honoured while an older secret is', async () => {
      const old = await service({}, { sessionSecret: 'the old secret, long enough too' });
      const rotated = await service(
        {},
        { sessionSecret: [SECRET, 'the old secret, long enough too'] },
      );
      const later = await service();
      await database.pauseReplicas();
      await old.client.post('/t0');
      const at = async ({ client }: Service, from: Client) => {
        const client2 = new Client(client.url);
        for (const value of from.jar.values) client2.jar.set('fresh-reads-moved', value);
        return { ...(await client2.get<Counted>('/t0')), jar: client2 };
      };
      const first = await at(rotated, old.client);
      expect(first.standby).to.equal(false);
      // Signed anew with the current secret, which is all that the next one knows.
      expect((await at(later, first.jar)).standby).to.equal(false);
      expect((await at(later, old.client)).standby).to.equal(true);
    });
  });

  describe('with a sessionStore', () => {
    const clientOf = ({ headers }: { headers: Record<string, unknown> }) =>
      headers['x-user'] as string | undefined;

    it('in memory says what is wrong with its options', () => {
      for (const [options, message] of [
        [{ maxClient: 5 }, 'unknown option "maxClient"; did you mean "maxClients"?'],
        [{ maxClients: 0 }, 'maxClients must be a whole number above zero, got 0.'],
        [5, 'options must be an object, got 5.'],
      ] as const) {
        expect(() => memorySessionStore(options as object)).to.throw(
          `memorySessionStore: ${message}`,
        );
      }
    });

    it('remembers for clients that carry nothing', async () => {
      const sessionStore = memorySessionStore();
      const { client } = await service({
        cookie: false,
        header: false,
        sessionStore,
        clientOf,
      });
      await database.pauseReplicas();
      const as = (user: string) => ({ headers: { 'x-user': user } });
      const { headers } = await client.fetch('/t0', { method: 'POST', ...as('ann') });
      expect(headers.get('x-fresh-reads-token')).to.equal(null);
      expect(headers.getSetCookie()).to.deep.equal([]);
      expect(await client.get('/t0', { 'x-user': 'ann' })).to.have.property('standby', false);
      expect(await client.get('/t1', { 'x-user': 'ann' })).to.have.property('standby', true);
      expect(await client.get('/t0', { 'x-user': 'bob' })).to.have.property('standby', true);
      expect(await client.get('/t0')).to.have.property('standby', true);
    });

    it('takes everything for written when the store fails, and says so once', async () => {
      const failing: SessionStore = {
        load: () => Promise.reject(new Error('store is down')),
        save: () => {
          throw new Error('store is down');
        },
      };
      const { client, reads } = await service({ sessionStore: failing, clientOf });
      await database.pauseReplicas();
      expect(await client.get('/t0', { 'x-user': 'ann' })).to.have.property('standby', false);
      const response = await client.fetch('/t0', { method: 'POST', headers: { 'x-user': 'ann' } });
      expect(response.status).to.equal(200);
      expect(reads.status().warnings.filter((line) => line.includes('store'))).to.deep.equal([
        'the session store failed: Error: store is down',
      ]);
      expect(await new Client(client.url).get('/t0')).to.have.property('standby', true);
    });
  });

  it('needs no secret for the operation alone', async () => {
    const sequelize = database.connect();
    const reads = freshReads(sequelize);
    await reads.ready();
    const log = new DecisionLog(reads);
    const app = express();
    app.use(freshReadsMiddleware(reads));
    app.post('/both', async (_, response) => {
      await insert(sequelize, 't0');
      response.json(await count(sequelize, 't0'));
    });
    const server = await serve(app);
    servers.push(server);
    await database.pauseReplicas();
    const client = new Client(server.url);
    expect(await client.post('/both')).to.have.property('standby', false);
    expect(client.jar.received).to.deep.equal([]);
    expect(log.take()).to.deep.equal(['primary not-a-read t0', 'primary table-written t0']);
  });
});
