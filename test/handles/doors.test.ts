import { expect } from 'chai';
import { setImmediate as immediate } from 'node:timers/promises';
import { freshReadsPlugin, withOperation } from '../../src/apollo';
import { useFreshReads } from '../../src/envelop';
import { freshReadsMiddleware } from '../../src/http';
import { Client, type TestServer } from '../support/http';
import type { TestDatabase } from '../support/shared-cluster';
import { serveSides, type Doors } from './servers';
import { makeDatabase, Side, type Sides } from './sides';

const HEADER = 'x-fresh-reads-token';
type Name = keyof Sides;

const ARRANGEMENTS: Readonly<Record<string, (sides: Sides) => Doors>> = {
  'a plugin each in Apollo': ({ a, b }) => ({
    apollo: [freshReadsPlugin(a.reads), freshReadsPlugin(b.reads)],
  }),
  'a middleware each': ({ a, b }) => ({
    middlewares: [freshReadsMiddleware(a.reads), freshReadsMiddleware(b.reads)],
  }),
  'a middleware each before Yoga': ({ a, b }) => ({
    middlewares: [freshReadsMiddleware(a.reads), freshReadsMiddleware(b.reads)],
    yoga: [],
  }),
  'a middleware and a plugin in Apollo': ({ a, b }) => ({
    middlewares: [freshReadsMiddleware(a.reads)],
    apollo: [freshReadsPlugin(b.reads)],
  }),
  'a plugin each in Yoga': ({ a, b }) => ({
    yoga: [useFreshReads(a.reads), useFreshReads(b.reads)],
  }),
  'a middleware and a plugin in Yoga': ({ a, b }) => ({
    middlewares: [freshReadsMiddleware(a.reads)],
    yoga: [useFreshReads(b.reads)],
  }),
  'all of it twice': ({ a, b }) => ({
    middlewares: [freshReadsMiddleware(a.reads), freshReadsMiddleware(b.reads)],
    apollo: [freshReadsPlugin(b.reads), freshReadsPlugin(a.reads)],
  }),
};

/** Replicas are paused: whatever a standby answers is stale where it was written. */
describe('two handles on two databases', () => {
  const databases: TestDatabase[] = [];
  const servers: TestServer[] = [];
  // Two processes that share nothing but the secret.
  let one: Sides;
  let two: Sides;

  before(async () => {
    databases.push(await makeDatabase('only_a'), await makeDatabase('only_b'));
    [one, two] = [await sidesOf(), await sidesOf()];
  });
  beforeEach(() => databases[0]!.pauseReplicas());
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    await databases[0]!.resumeReplicas();
  });
  after(async () => {
    for (const database of databases) await database.close();
  });

  /** What stands for one process. */
  async function sidesOf(): Promise<Sides> {
    const [a, b] = await Promise.all(databases.map((database) => Side.open(database)));
    return { a: a!, b: b! };
  }

  async function start(sides: Sides, doors: (sides: Sides) => Doors): Promise<Client> {
    const server = await serveSides(sides, doors(sides));
    servers.push(server);
    return new Client(server.url);
  }

  const writing = (side: Name, table: string) =>
    `mutation { write(side: "${side}", table: "${table}") }`;
  const READS = `{ ${(['a', 'b'] as const)
    .flatMap((side) =>
      ['users', 'posts', `only_${side}`].map(
        (table) => `${side}_${table}: standby(side: "${side}", table: "${table}")`,
      ),
    )
    .join(' ')} }`;

  function post(client: Client, query: string | string[], headers: Record<string, string> = {}) {
    const bodies = [query].flat().map((text) => ({ query: text }));
    return client.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(Array.isArray(query) ? bodies : bodies[0]),
    });
  }

  /** The tables whose reads the client has on the primary. */
  async function held(client: Client, headers?: Record<string, string>): Promise<string[]> {
    const { data } = (await (await post(client, READS, headers)).json()) as {
      data: Record<string, boolean>;
    };
    return Object.keys(data)
      .filter((name) => !data[name])
      .sort();
  }

  const tokens = ({ a, b }: Sides) => [a, b].map(({ reads }) => reads.status().tokens);

  for (const [title, doors] of Object.entries(ARRANGEMENTS)) {
    describe(title, () => {
      it('both come back by cookie, each to its own', async () => {
        const client = await start(one, doors);
        await post(client, `mutation { ${['a', 'b'].map(both).join(' ')} }`);
        expect(client.jar.names).to.have.length(2);
        expect(await held(client)).to.deep.equal(['a_users', 'b_users']);
        // To another process as well, and on from there.
        const { url } = await start(two, doors);
        const moved = Object.assign(new Client(url), { jar: client.jar });
        for (let times = 0; times < 2; times++) {
          expect(await held(moved)).to.deep.equal(['a_users', 'b_users']);
          expect(client.jar.names).to.have.length(2);
        }
        expect(await held(new Client(url))).to.deep.equal([]);
        for (const { widened, ignored } of [...tokens(one), ...tokens(two)]) {
          expect({ widened, ignored }).to.deep.equal({ widened: 0, ignored: 0 });
        }
      });

      it('both come back by header', async () => {
        const client = await start(one, doors);
        const response = await post(client, `mutation { ${['a', 'b'].map(both).join(' ')} }`);
        const header = response.headers.get(HEADER)!;
        expect(header.split(', ')).to.have.length(2);
        const stranger = () => new Client(client.url);
        expect(await held(stranger(), { [HEADER]: header })).to.deep.equal(['a_users', 'b_users']);
        for (const token of header.split(', ')) {
          expect(await held(stranger(), { [HEADER]: token })).to.have.length(1);
        }
      });

      it('what one has written holds back nothing of the other', async () => {
        const client = await start(one, doors);
        await post(client, writing('a', 'only_a'));
        expect(client.jar.names).to.have.length(1);
        expect(await held(client)).to.deep.equal(['a_only_a']);
        await post(client, writing('b', 'users'));
        expect(await held(client)).to.deep.equal(['a_only_a', 'b_users']);
        expect(client.jar.names).to.have.length(2);
      });

      it('parallel responses lose none of it', async () => {
        const client = await start(one, doors);
        await post(client, writing('a', 'users'));
        await Promise.all([
          post(client, writing('b', 'users')),
          post(client, writing('a', 'posts')),
          post(client, writing('b', 'only_b')),
          post(client, READS),
        ]);
        const all = ['a_posts', 'a_users', 'b_only_b', 'b_users'];
        expect(await held(client)).to.deep.equal(all);
        expect(await held(client)).to.deep.equal(all);
        expect(client.jar.names).to.have.length(2);
      });

      it('nor do the operations of a batch', async () => {
        const client = await start(one, doors);
        await post(client, [READS, writing('a', 'posts'), writing('b', 'users'), READS]);
        expect(await held(client)).to.deep.equal(['a_posts', 'b_users']);
      });

      it('cookies go when all replicas have what they tell of', async () => {
        const client = await start(one, doors);
        await post(client, `mutation { ${['a', 'b'].map(both).join(' ')} }`);
        await databases[0]!.resumeReplicas();
        while (client.jar.names.length > 0) await post(client, READS);
        expect(await held(client)).to.deep.equal([]);
      });
    });
  }

  function both(side: string): string {
    return `${side}: write(side: "${side}", table: "users")`;
  }

  it('a door of one leaves the cookies of the other alone', async () => {
    const client = await start(one, ARRANGEMENTS['a middleware each']!);
    await post(client, `mutation { ${['a', 'b'].map(both).join(' ')} }`);
    for (const alone of [one, two]) {
      const { url } = await start(alone, ({ b }) => ({ apollo: [freshReadsPlugin(b.reads)] }));
      const elsewhere = Object.assign(new Client(url), { jar: client.jar });
      // The token of a is nobody's business there.
      expect(await held(elsewhere)).to.deep.equal(['b_users']);
      expect(await held(client)).to.deep.equal(['a_users', 'b_users']);
    }
  });

  it('a context function inside both reads by both tokens', async () => {
    const seen: boolean[] = [];
    const client = await start(one, ({ a, b }) => ({
      apollo: [freshReadsPlugin(a.reads), freshReadsPlugin(b.reads)],
      context: withOperation(
        a.reads,
        withOperation(b.reads, async (_: { req: object }) => {
          seen.push(await a.onStandby('users'), await b.onStandby('users'));
          return {};
        }),
      ),
    }));
    await post(client, `mutation { ${['a', 'b'].map(both).join(' ')} }`);
    await post(client, READS);
    expect(seen).to.deep.equal([true, true, false, false]);
  });

  it('a response waits for what is still being written through either', async () => {
    const all = [one.a, one.b];
    const writeLate = async () => {
      for (const { sequelize } of all) {
        void sequelize.query('INSERT INTO users SELECT FROM pg_sleep(0.2)');
      }
      while (!all.every(({ reads }) => reads.history().length > 0)) await immediate();
    };
    const client = await start(one, ({ a, b }) => ({
      middlewares: [
        freshReadsMiddleware(a.reads),
        freshReadsMiddleware(b.reads),
        ({ url }, response, next) => {
          if (url !== '/late') next();
          else {
            void writeLate().then(() => {
              response.write('first ');
              response.end('last');
            });
          }
        },
      ],
    }));
    const response = await client.fetch('/late');
    expect(await response.text()).to.equal('first last');
    expect(client.jar.names).to.have.length(2);
    expect(await held(client)).to.deep.equal(['a_users', 'b_users']);
  });

  it('says so where the tokens of a handle that writes do not travel', async () => {
    const sides = await sidesOf();
    const client = await start(sides, ({ a }) => ({ apollo: [freshReadsPlugin(a.reads)] }));
    await post(client, writing('a', 'users'));
    expect(sides.b.reads.status().warnings).to.deep.equal([]);
    for (let times = 0; times < 2; times++) await post(client, writing('b', 'users'));
    expect(sides.a.reads.status().warnings).to.deep.equal([]);
    const { warnings } = sides.b.reads.status();
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/freshReadsPlugin, useFreshReads or freshReadsMiddleware/);
  });
});
