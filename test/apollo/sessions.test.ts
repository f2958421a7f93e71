import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { expect } from 'chai';
import { freshReads, type FreshReads, type FreshReadsOptions } from '../../src';
import {
  freshReadsPlugin,
  memorySessionStore,
  withOperation,
  type FreshReadsPluginOptions,
} from '../../src/apollo';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

const typeDefs = `
  type Query { users: Int!, posts: Int! }
  type Mutation { addUser: Int, addPost: Int }
`;

interface Answer {
  readonly data: Record<string, number> | undefined;
  readonly setCookie: readonly string[];
  readonly header: string | null;
}

/** What a browser does with cookies. */
class Browser {
  readonly jar = new Map<string, string>();

  take({ setCookie }: Answer): void {
    for (const line of setCookie) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (line.includes('Max-Age=0')) this.jar.delete(name!);
      else this.jar.set(name!, value!);
    }
  }

  get headers(): Record<string, string> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    return cookie === '' ? {} : { cookie };
  }
}

/** Two servers over HTTP, as a load balancer has them, on paused replicas. */
describe('sessions over HTTP', () => {
  let database: TestDatabase;
  const ends: (() => Promise<void>)[] = [];

  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial)',
      'CREATE TABLE posts (id serial)',
    );
    await database.pauseReplicas();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });
  after(() => database.close());

  async function serve(
    plugin: FreshReadsPluginOptions = {},
    options: FreshReadsOptions = {},
    context?: (reads: FreshReads, count: () => Promise<number>) => (arg: never) => Promise<object>,
  ) {
    const sequelize = database.connect();
    const reads = freshReads(sequelize, { sessionSecret: 'shared', ...options });
    const count = (table: string) => async () => {
      const [rows] = await sequelize.query(`SELECT count(*)::int AS n FROM ${table}`);
      return (rows as { n: number }[])[0]!.n;
    };
    const add = (table: string) => async () => {
      await sequelize.query(`INSERT INTO ${table} DEFAULT VALUES`);
    };
    const server = new ApolloServer({
      typeDefs,
      resolvers: {
        Query: { users: count('users'), posts: count('posts') },
        Mutation: { addUser: add('users'), addPost: add('posts') },
      },
      plugins: [freshReadsPlugin(reads, plugin)],
      allowBatchedHttpRequests: true,
    });
    const { url } = await startStandaloneServer(server, {
      listen: { port: 0, host: '127.0.0.1' },
      ...(context && { context: context(reads, count('users')) as never }),
    });
    ends.push(async () => {
      await server.stop();
      await sequelize.close();
    });
    return async (
      query: string | string[],
      headers: Record<string, string> = {},
    ): Promise<Answer> => {
      const operations = [query].flat().map((text) => ({ query: text }));
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(Array.isArray(query) ? operations : operations[0]),
      });
      const body = (await response.json()) as { data?: Record<string, number> };
      return {
        data: body.data,
        setCookie: response.headers.getSetCookie(),
        header: response.headers.get('x-fresh-reads-token'),
      };
    };
  }

  async function usersWritten(): Promise<number> {
    const plain = database.connect();
    const [rows] = await plain.query('SELECT count(*)::int AS n FROM users');
    await plain.close();
    return (rows as { n: number }[])[0]!.n;
  }

  it('go from one server to the other by cookie', async () => {
    const [one, two] = [await serve(), await serve()];
    const browser = new Browser();
    const first = await one('mutation { addUser }');
    expect(first.setCookie).to.have.length(1);
    expect(first.setCookie[0]).to.match(
      /^fresh-reads-[\w-]{8}=[\w-]{20,511}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    browser.take(first);
    const seen = await two('{ users posts }', browser.headers);
    expect(seen.data).to.deep.equal({ users: await usersWritten(), posts: 0 });
    // A client of its own sees the past.
    expect((await two('{ users }')).data).to.deep.equal({ users: 0 });
    // It is replaced by one that tells the same.
    browser.take(seen);
    expect(browser.jar.size).to.equal(1);
    expect((await one('{ users }', browser.headers)).data?.['users']).to.equal(
      await usersWritten(),
    );
  });

  it('set no cookie for what has written nothing', async () => {
    const one = await serve();
    expect(await one('{ users }')).to.deep.include({ setCookie: [], header: null });
    expect(await one('{ nonsense }')).to.deep.include({ setCookie: [], header: null });
  });

  it('keep what two parallel responses tell', async () => {
    const [one, two] = [await serve(), await serve()];
    const browser = new Browser();
    browser.take(await one('mutation { addPost }'));
    const before = browser.headers;
    const answers = [await one('mutation { addUser }', before), await two('{ posts }', before)];
    for (const answer of answers.reverse()) browser.take(answer);
    expect(browser.jar.size).to.equal(2);
    const { data } = await two('{ users posts }', browser.headers);
    expect(data).to.deep.equal({ users: await usersWritten(), posts: 1 });
  });

  it('keep what each operation of a batch tells', async () => {
    const one = await serve();
    const browser = new Browser();
    browser.take(await one(['mutation { addUser }', 'mutation { addPost }']));
    expect(browser.jar.size).to.equal(2);
    const { data } = await one('{ users posts }', browser.headers);
    expect(data!['users']).to.equal(await usersWritten());
    expect(data!['posts']).to.be.above(0);
  });

  it('of another service on the same host are left alone', async () => {
    const [one, stranger] = [await serve(), await serve({}, { sessionSecret: 'of its own' })];
    const browser = new Browser();
    browser.take(await one('mutation { addUser }'));
    browser.take(await stranger('mutation { addPost }', browser.headers));
    browser.take(await stranger('{ posts }', browser.headers));
    expect((await one('{ users }', browser.headers)).data?.['users']).to.equal(
      await usersWritten(),
    );
  });

  it('go by header for clients that keep no cookies', async () => {
    const [one, two] = [await serve({ cookie: false }), await serve({ cookie: false })];
    const tokens = [await one('mutation { addUser }'), await two('mutation { addPost }')];
    expect(tokens.map(({ setCookie }) => setCookie.length)).to.deep.equal([0, 0]);
    const header = tokens.map((answer) => answer.header).join(', ');
    const { data } = await one('{ users posts }', { 'x-fresh-reads-token': header });
    expect(data!['users']).to.equal(await usersWritten());
    expect(data!['posts']).to.be.above(0);
  });

  it('go by a store for clients that carry nothing', async () => {
    const sessionStore = memorySessionStore();
    const plugin: FreshReadsPluginOptions = {
      ...{ cookie: false, header: false, sessionStore },
      clientOf: ({ request }) => request.http?.headers.get('x-user'),
    };
    const [one, two] = [await serve(plugin), await serve(plugin)];
    const ann = { 'x-user': 'ann' };
    await one('mutation { addUser }', ann);
    expect((await two('{ users }', ann)).data?.['users']).to.equal(await usersWritten());
    expect((await two('{ users }', { 'x-user': 'bob' })).data?.['users']).to.equal(0);
    expect((await two('{ users }', {})).data?.['users']).to.equal(0);
    expect(await sessionStore.load('ann')).to.have.length(1);
  });

  it('count everything as written when the store fails or gives nonsense', async () => {
    for (const load of [
      () => Promise.reject(new Error('down')),
      () => [5 as never],
      () => null as never,
    ]) {
      const one = await serve({
        cookie: false,
        header: false,
        sessionStore: { load, save: () => Promise.reject(new Error('down')) },
        clientOf: () => 'ann',
      });
      expect((await one('{ users }')).data?.['users']).to.equal(await usersWritten());
    }
  });

  it('reach the context function', async () => {
    const seen: number[] = [];
    const one = await serve();
    const two = await serve({}, {}, (reads, count) =>
      withOperation(reads, async () => {
        seen.push(await count());
        return {};
      }),
    );
    const browser = new Browser();
    browser.take(await one('mutation { addUser }'));
    await two('{ posts }', browser.headers);
    await two('{ posts }');
    expect(seen).to.deep.equal([await usersWritten(), 0]);
  });
});
