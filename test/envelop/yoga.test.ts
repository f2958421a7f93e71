import { expect } from 'chai';
import { createSchema, createYoga, type YogaServerInstance } from 'graphql-yoga';
import { isOptionsError, type Decision } from '../../src';
import { memorySessionStore, useFreshReads, type UseFreshReadsOptions } from '../../src/envelop';
import { freshReadsMiddleware } from '../../src/http';
import { Client, serve, type TestServer } from '../support/http';
import { makeGround, typeDefs, type Ground } from './ground';

interface Shown {
  readonly tables: string[];
  readonly target: string;
  readonly reason: string;
  readonly resolver: string | undefined;
}

interface Result {
  readonly data?: Record<string, unknown>;
  readonly errors?: { readonly message: string }[];
  readonly extensions?: { readonly freshReads?: { readonly decisions: Shown[] } };
  readonly incremental?: Result[];
  readonly hasNext?: boolean;
}

function lines({ extensions }: Result): string[] | undefined {
  return extensions?.freshReads?.decisions.map(
    ({ resolver, target, reason, tables }) => `${resolver}: ${target} ${reason} ${tables.join()}`,
  );
}

describe('Yoga', () => {
  let ground: Ground;
  const servers: TestServer[] = [];
  const seen: Decision[] = [];

  before(async () => {
    ground = await makeGround({ sessionSecret: 'a secret of these tests, long enough' });
    ground.reads.onDecision((decision) => seen.push(decision));
  });
  beforeEach(() => {
    seen.length = 0;
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    await ground.database.resumeReplicas();
  });
  after(() => ground.database.close());

  type Yoga = YogaServerInstance<Record<string, unknown>, Record<string, unknown>>;

  function yogaOf(
    options: UseFreshReadsOptions = {},
    more: Partial<Parameters<typeof createYoga>[0]> = {},
  ): Yoga {
    const { resolvers, reads } = ground;
    return createYoga<Record<string, unknown>, Record<string, unknown>>({
      schema: createSchema({ typeDefs, resolvers }),
      plugins: [useFreshReads(reads, { exposeDecisions: true, ...options })],
      batching: true,
      logging: false,
      ...more,
    });
  }

  async function serveYoga(
    options: UseFreshReadsOptions = {},
    more: Partial<Parameters<typeof createYoga>[0]> = {},
  ): Promise<Client> {
    const yoga = yogaOf(options, more);
    const server = await serve((req, res) => void yoga(req, res));
    servers.push(server);
    return new Client(server.url);
  }

  const run = (client: Client, query: string) => client.post<Result>('/graphql', { query });

  /** The parts of a response that comes as server-sent events. */
  async function events(client: Client, query: string): Promise<Result[]> {
    const response = await client.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    });
    const found = (await response.text()).matchAll(/^data: ?(\{.*\})$/gm);
    return [...found].map(([, json]) => JSON.parse(json!) as Result);
  }

  it('sends each read where its own operation and its tables demand', async () => {
    const client = await serveYoga();
    await ground.database.pauseReplicas();
    const result = await run(
      client,
      'mutation { createUser(name: "ann") { name posts } countUsers }',
    );
    expect(result.data).to.have.nested.property('createUser.name', 'ann');
    expect(lines(result)).to.have.members([
      'Mutation.createUser: primary not-a-read users',
      'User.posts: replica tables-untouched posts',
      'Mutation.countUsers: primary table-written users',
    ]);
  });

  it('gives each operation of a batch a history of its own', async () => {
    const client = await serveYoga();
    await ground.database.pauseReplicas();
    const results = await client.post<Result[]>('/graphql', [
      { query: 'mutation { createUser(name: "bob") { id } countUsers }' },
      { query: '{ users posts }' },
    ]);
    const [mutation, query] = results.map(lines);
    expect(mutation).to.have.members([
      'Mutation.createUser: primary not-a-read users',
      'Mutation.countUsers: primary table-written users',
    ]);
    expect(query).to.have.members([
      'Query.users: replica no-live-writes users',
      'Query.posts: replica no-live-writes posts',
    ]);
  });

  it('counts what the context function wrote, and reads there by the token', async () => {
    const { User } = ground;
    const client = await serveYoga(
      {},
      {
        context: async () => {
          const known = await User.count();
          await User.create({ name: 'seen' });
          return { known };
        },
      },
    );
    await ground.database.pauseReplicas();
    const first = await run(client, '{ users posts }');
    expect(lines(first)).to.have.members([
      'undefined: replica no-live-writes users',
      'undefined: primary not-a-read users',
      'Query.users: primary table-written users',
      'Query.posts: replica tables-untouched posts',
    ]);
    const second = await run(client, '{ users }');
    expect(lines(second)).to.include('undefined: primary table-written users');
  });

  it('carries what was written to the next request by cookie', async () => {
    const client = await serveYoga();
    await ground.database.pauseReplicas();
    await run(client, 'mutation { createUser(name: "carol") { id } }');
    expect(client.jar.names).to.have.length(1);
    expect(lines(await run(client, '{ users posts }'))).to.have.members([
      'Query.users: primary table-written users',
      'Query.posts: replica tables-untouched posts',
    ]);
    expect(lines(await run(new Client(client.url), '{ users }'))).to.have.members([
      'Query.users: replica no-live-writes users',
    ]);
  });

  it('carries the writes of all operations of a batch', async () => {
    const client = await serveYoga();
    await ground.database.pauseReplicas();
    await client.post('/graphql', [
      { query: '{ posts }' },
      { query: 'mutation { rename(id: 1, name: "x") { id } }' },
    ]);
    expect(lines(await run(client, '{ users }'))).to.have.members([
      'Query.users: primary table-written users',
    ]);
    expect(client.jar.names).to.have.length(1);
  });

  it('carries it by a store, which is asked by the request', async () => {
    const client = await serveYoga({
      cookie: false,
      header: false,
      sessionStore: memorySessionStore(),
      clientOf: ({ headers }) => headers.get('x-user'),
    });
    await ground.database.pauseReplicas();
    const ask = async (query: string, user: string) => {
      const response = await client.fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user': user },
        body: JSON.stringify({ query }),
      });
      return lines((await response.json()) as Result);
    };
    await ask('mutation { createUser(name: "eve") { id } }', 'eve');
    expect(await ask('{ users }', 'eve')).to.have.members([
      'Query.users: primary table-written users',
    ]);
    expect(await ask('{ users }', 'mallory')).to.have.members([
      'Query.users: replica no-live-writes users',
    ]);
    expect(client.jar.received).to.deep.equal([]);
  });

  it('adds its cookie to an answer whose headers are fixed', async () => {
    const client = await serveYoga(
      {},
      {
        plugins: [
          useFreshReads(ground.reads),
          {
            onRequestParse: async ({
              endResponse,
            }: {
              endResponse: (response: Response) => void;
            }) => {
              await ground.User.create({ name: 'gone' });
              endResponse(Response.redirect('http://127.0.0.1/elsewhere', 303));
            },
          },
        ],
      },
    );
    await ground.database.pauseReplicas();
    const response = await client.fetch('/graphql?query={posts}', { redirect: 'manual' });
    expect(response.status).to.equal(303);
    expect(response.headers.get('location')).to.equal('http://127.0.0.1/elsewhere');
    expect(client.jar.names).to.have.length(1);
  });

  it('names operations by the request id and their own name', async () => {
    const client = await serveYoga({ requestId: () => 'request-7' });
    await run(client, 'query Names { users }');
    expect(seen[0]?.operation).to.deep.equal({ id: 'request-7', name: 'Names', kind: 'query' });
  });

  it('gives each event of a subscription an operation and loaders of its own', async () => {
    const client = await serveYoga();
    const parts = await events(client, 'subscription { renamed(times: 3) { name posts } }');
    expect(parts.map(({ data }) => data)).to.deep.equal([
      { renamed: { name: 'event 1', posts: 0 } },
      { renamed: { name: 'event 2', posts: 0 } },
      { renamed: { name: 'event 3', posts: 0 } },
    ]);
    const read = seen.filter(({ tables }) => tables.includes('users'));
    expect(read.map(({ target }) => target)).to.deep.equal(['replica', 'replica', 'replica']);
    expect(new Set(read.map(({ operation }) => operation?.id)).size).to.equal(3);
    expect(read.map(({ operation }) => operation?.kind)).to.deep.equal(
      Array.from({ length: 3 }, () => 'subscription'),
    );
  });

  it('lets events read what subscribing wrote', async () => {
    const client = await serveYoga();
    await ground.database.pauseReplicas();
    const before = await ground.User.count({ useMaster: true });
    const parts = await events(client, 'subscription { touched }');
    expect(parts.map(({ data }) => data)).to.deep.equal([{ touched: before + 1 }]);
  });

  it('keeps deferred parts in the operation that they came from', async () => {
    const client = await serveYoga();
    await ground.database.pauseReplicas();
    const parts = await events(
      client,
      `mutation { rename(id: 1, name: "deferred") { id ... @defer { name posts } } countUsers }`,
    );
    expect(parts.length).to.be.greaterThan(1);
    expect(parts[0]?.data).to.have.property('rename');
    expect(parts.flatMap((part) => lines(part) ?? []).sort()).to.deep.equal([
      'Mutation.countUsers: primary table-written users',
      'Mutation.rename: primary not-a-read users',
      'Mutation.rename: primary table-written users',
      'User.posts: replica tables-untouched posts',
    ]);
    expect(new Set(seen.map(({ operation }) => operation?.id)).size).to.equal(1);
  });

  it('keeps streamed parts there, too', async () => {
    const client = await serveYoga();
    await ground.database.pauseReplicas();
    const parts = await events(client, '{ names @stream(initialCount: 1) users }');
    expect(parts.length).to.be.greaterThan(1);
    expect(seen.map(({ target }) => target)).to.deep.equal(['replica', 'replica']);
    expect(new Set(seen.map(({ operation }) => operation?.id)).size).to.equal(1);
  });

  it('heeds @freshness', async () => {
    const client = await serveYoga();
    expect(lines(await run(client, '{ fresh }'))).to.have.members([
      'Query.fresh: primary asked-primary posts',
    ]);
  });

  it('passes errors on, and leaves alone what never executes', async () => {
    const client = await serveYoga({}, { maskedErrors: false });
    const failed = await run(client, '{ boom users }');
    expect(failed.errors?.[0]?.message).to.equal('boom');
    expect(lines(failed)).to.have.members(['Query.users: replica no-live-writes users']);
    const invalid = await run(client, '{ nothing }');
    expect(invalid.errors?.[0]?.message).to.match(/Cannot query field "nothing"/);
    expect(invalid.extensions).to.equal(undefined);
  });

  it('is a part of the operation that it runs inside', async () => {
    const yoga = yogaOf();
    const middleware = freshReadsMiddleware(ground.reads);
    const server = await serve((req, res) => middleware(req, res, () => void yoga(req, res)));
    servers.push(server);
    const client = new Client(server.url);
    await ground.database.pauseReplicas();
    const results = await client.post<Result[]>('/graphql', [
      { query: 'mutation { createUser(name: "fay") { id } }' },
    ]);
    expect(results).to.have.length(1);
    expect(seen.map(({ operation }) => operation?.name)).to.deep.equal(['POST /graphql']);
    expect(client.jar.names).to.have.length(1);
    expect(lines(await run(client, '{ users }'))).to.have.members([
      'Query.users: primary table-written users',
    ]);
  });

  it('refuses what it can not work with', () => {
    const { reads } = ground;
    const refused: [() => unknown, string][] = [
      [
        () => useFreshReads({} as never),
        'useFreshReads: the first argument must be the handle that freshReads(sequelize) gave, got {}.',
      ],
      [
        () => useFreshReads(reads, { exposeDecision: true } as never),
        'useFreshReads: unknown option "exposeDecision"; did you mean "exposeDecisions"?',
      ],
      [
        () => useFreshReads(reads, { requestId: 'x' } as never),
        'useFreshReads: requestId must be a function that returns the id, got "x".',
      ],
      [
        () => useFreshReads(reads, null as never),
        'useFreshReads(reads, options): options must be an object, got null.',
      ],
      [
        () => useFreshReads(reads, { cookie: { sameSite: 'none', secure: false } }),
        "useFreshReads: cookie.sameSite 'none' is ignored by browsers without cookie.secure: true.",
      ],
      [
        () => useFreshReads(reads, { cookie: { domain: 'https://example.com' } }),
        'useFreshReads: cookie.domain must be what a cookie can hold, got "https://example.com".',
      ],
      [
        () => useFreshReads(reads, { cookie: { path: '/<id>' } }),
        'useFreshReads: cookie.path must be what a cookie can hold, got "/<id>".',
      ],
      [
        () => useFreshReads(reads, { cookie: { path: '/a; Domain=evil.example' } }),
        'useFreshReads: cookie.path must be what a cookie can hold, got "/a; Domain=evil.example".',
      ],
    ];
    for (const [call, message] of refused) {
      expect(call).to.throw(message).that.satisfies(isOptionsError);
    }
  });
});
