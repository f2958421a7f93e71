import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { expect } from 'chai';
import rTracer from 'cls-rtracer';
import express from 'express';
import { QueryTypes } from 'sequelize';
import { freshReads, type Decision, type FreshReads } from '../../src';
import { freshReadsPlugin } from '../../src/apollo';
import { freshReadsMiddleware } from '../../src/http';
import { Client, serve, type TestServer } from '../support/http';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

const requestId = () => rTracer.id();

describe('cls-rtracer', () => {
  let database: TestDatabase;
  let reads: FreshReads;
  let count: () => Promise<number>;
  let server: TestServer | undefined;
  const apollos: ApolloServer[] = [];
  const seen: Decision[] = [];

  before(async () => {
    database = await createDatabase('CREATE TABLE things (id int)');
    const sequelize = database.connect();
    reads = freshReads(sequelize);
    await reads.ready();
    reads.onDecision((decision) => seen.push(decision));
    count = async () => {
      const rows = await sequelize.query('SELECT id FROM things', { type: QueryTypes.SELECT });
      return rows.length;
    };
  });
  beforeEach(() => {
    seen.length = 0;
  });
  afterEach(async () => {
    await server?.close();
    for (const apollo of apollos.splice(0)) await apollo.stop();
  });
  after(() => database.close());

  const traced = (app: express.Express) =>
    app.use(rTracer.expressMiddleware({ useHeader: true, echoHeader: true }));

  async function start(app: express.Express): Promise<Client> {
    server = await serve(app);
    return new Client(server.url);
  }

  async function graphql(): Promise<express.RequestHandler> {
    const apollo = new ApolloServer({
      typeDefs: 'type Query { things: Int! }',
      resolvers: { Query: { things: count } },
      plugins: [freshReadsPlugin(reads, { requestId })],
    });
    await apollo.start();
    apollos.push(apollo);
    return expressMiddleware(apollo);
  }

  const ask = (client: Client, id?: string) =>
    client.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(id && { 'x-request-id': id }) },
      body: JSON.stringify({ query: 'query Things { things }' }),
    });

  it('names the operations of the middleware', async () => {
    const app = express();
    traced(app);
    app.use(freshReadsMiddleware(reads, { requestId }));
    app.get('/', async (_, response) => {
      response.json({ count: await count(), id: rTracer.id() });
    });
    const client = await start(app);
    const given = await client.get<{ id: string }>('/', { 'x-request-id': 'from-the-gateway' });
    expect(given.id).to.equal('from-the-gateway');
    const made = await client.get<{ id: string }>('/');
    expect(seen.map(({ operation }) => operation?.id)).to.deep.equal(['from-the-gateway', made.id]);
  });

  it('names those of Apollo Server', async () => {
    const app = express();
    traced(app);
    app.use('/graphql', express.json(), await graphql());
    const client = await start(app);
    await ask(client, 'from-the-gateway');
    const { headers } = await ask(client);
    expect(seen.map(({ operation }) => operation?.id)).to.deep.equal([
      'from-the-gateway',
      headers.get('x-request-id'),
    ]);
    expect(seen[0]?.operation).to.include({ name: 'Things', kind: 'query' });
  });

  it('is not missed where it is not in use', async () => {
    const app = express();
    app.use('/graphql', express.json(), await graphql());
    app.use(freshReadsMiddleware(reads, { requestId }));
    app.get('/', async (_, response) => {
      response.json(await count());
    });
    const client = await start(app);
    await ask(client);
    await client.get('/');
    const [first, second] = seen.map(({ operation }) => operation?.id);
    expect(first).to.match(/^op-\d+$/);
    expect(second)
      .to.match(/^op-\d+$/)
      .and.not.equal(first);
  });
});
