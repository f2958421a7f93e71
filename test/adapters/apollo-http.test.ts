import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { expect } from 'chai';
import express, { type Express } from 'express';
import { QueryTypes, type Sequelize } from 'sequelize';
import { freshReads, type Decision, type FreshReads } from '../../src';
import { freshReadsPlugin } from '../../src/apollo';
import { freshReadsMiddleware } from '../../src/http';
import { Client, serve, type TestServer } from '../support/http';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

const typeDefs = `
  type Query { users: Boolean!, posts: Boolean! }
  type Mutation { addUser: Boolean, addPost: Boolean }
`;

interface Result {
  readonly data: Record<string, boolean | null>;
}

describe('Apollo Server over HTTP', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let apollo: ApolloServer;
  let server: TestServer | undefined;
  const seen: Decision[] = [];

  before(async () => {
    database = await createDatabase('CREATE TABLE users (id int)', 'CREATE TABLE posts (id int)');
    sequelize = database.connect();
    reads = freshReads(sequelize, { sessionSecret: 'a secret of these tests, long enough' });
    await reads.ready();
    reads.onDecision((decision) => seen.push(decision));
    const onStandby = async (table: string) => {
      const [row] = await sequelize.query<{ standby: boolean }>(
        `SELECT pg_is_in_recovery() AS standby, count(*) FROM ${table}`,
        { type: QueryTypes.SELECT },
      );
      return row!.standby;
    };
    const add = async (table: string) => {
      await sequelize.query(`INSERT INTO ${table} VALUES (1)`);
    };
    apollo = new ApolloServer({
      typeDefs,
      resolvers: {
        Query: { users: () => onStandby('users'), posts: () => onStandby('posts') },
        Mutation: { addUser: () => add('users'), addPost: () => add('posts') },
      },
      allowBatchedHttpRequests: true,
      plugins: [freshReadsPlugin(reads)],
    });
    await apollo.start();
    await database.pauseReplicas();
  });
  beforeEach(() => {
    seen.length = 0;
  });
  afterEach(() => server?.close());
  after(async () => {
    await apollo.stop();
    await database.close();
  });

  async function start(setUp: (app: Express) => void = () => undefined): Promise<Client> {
    const app = express();
    setUp(app);
    app.use('/graphql', express.json(), expressMiddleware(apollo));
    server = await serve(app);
    return new Client(server.url);
  }

  const ask = (client: Client, query: string) => client.post<Result>('/graphql', { query });

  it('carries the writes of every operation of a batch, each in a cookie of its own', async () => {
    const client = await start();
    await client.post('/graphql', [
      { query: 'mutation { addUser }' },
      { query: 'mutation { addPost }' },
      { query: '{ users }' },
    ]);
    expect(client.jar.names).to.have.length(2);
    expect((await ask(client, '{ users posts }')).data).to.deep.equal({
      users: false,
      posts: false,
    });
    const merged = await client.post<Result[]>('/graphql', [
      { query: '{ users }' },
      { query: '{ posts }' },
    ]);
    expect(merged.map(({ data }) => data)).to.deep.equal([{ users: false }, { posts: false }]);
    expect((await ask(new Client(client.url), '{ users posts }')).data).to.deep.equal({
      users: true,
      posts: true,
    });
  });

  it('joins the operation of the middleware, which answers for the session', async () => {
    const client = await start((app) => app.use(freshReadsMiddleware(reads)));
    await ask(client, 'mutation { addUser }');
    expect(client.jar.received).to.have.length(1);
    expect((await ask(client, '{ users posts }')).data).to.deep.equal({
      users: false,
      posts: true,
    });
    expect(new Set(seen.map(({ operation }) => operation?.name))).to.deep.equal(
      new Set(['POST /graphql']),
    );
    expect(client.jar.names).to.have.length(1);
  });

  it('reads what middleware between the two wrote', async () => {
    const client = await start((app) => {
      app.use(freshReadsMiddleware(reads));
      app.use(async (_request, _response, next) => {
        await sequelize.query('INSERT INTO posts VALUES (2)');
        next();
      });
    });
    expect((await ask(client, '{ users posts }')).data).to.deep.equal({
      users: true,
      posts: false,
    });
  });
});
