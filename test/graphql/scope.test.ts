import { expect } from 'chai';
import { graphql, parse, subscribe } from 'graphql';
import { batch, createLoaders } from '../../src/dataloader';
import { barrier } from '../faults/support';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { Shop, TABLES } from './support';

const typeDefs = `
  type User { id: Int!, name: String, again: String, posts: Int! }
  type Query { touch: User, users: Int!, user(id: Int!): User, list: [User!]! }
  type Mutation { touch: User, users: Int!, user(id: Int!): User }
  type Subscription { ticks: User }
`;

/** Replicas are paused: a read that is not held back misses what was written. */
describe('top-level fields and the writes under them', () => {
  let database: TestDatabase;
  let shop: Shop;
  /** What a field waits for before it goes on, by its key in the response. */
  let gates: Record<string, () => Promise<unknown>>;

  before(async () => {
    database = await createDatabase(...TABLES);
    await database.pauseReplicas();
  });
  beforeEach(() => {
    gates = {};
  });
  afterEach(() => shop.sequelize.close());
  after(() => database.close());

  async function open(historyScope?: 'operation' | 'resolver') {
    shop = new Shop(database, { sessionSecret: 'x', ...(historyScope && { historyScope }) });
    await shop.reads.ready();
    const rename = (id: number) => shop.User.update({ name: 'new' }, { where: { id } });
    const gate = (key: string) => gates[key]?.();
    const fields = {
      touch: async () => {
        await rename(1);
        return { id: 1 };
      },
      users: async (
        _: unknown,
        __: unknown,
        ___: unknown,
        info: { path: { key: string | number } },
      ) => {
        await gate(String(info.path.key));
        return shop.User.count();
      },
      user: async (
        _: unknown,
        { id }: { id: number },
        __: unknown,
        info: { path: { key: string | number } },
      ) => {
        await gate(String(info.path.key));
        return { id };
      },
    };
    const schema = shop.schema(typeDefs, {
      User: {
        name: async ({ id }: { id: number }) => (await shop.loaders.user.load(id))?.get('name'),
        again: async ({ id }: { id: number }) => (await shop.User.findByPk(id))?.get('name'),
        posts: () => shop.Post.count(),
      },
      Query: {
        ...fields,
        list: () => [{ id: 1 }, { id: 2 }],
      },
      Mutation: fields,
      Subscription: {
        ticks: {
          subscribe: async function* () {
            yield { ticks: { id: 1 } };
            await rename(1);
            yield { ticks: { id: 1 } };
            yield { ticks: { id: 2 } };
          },
        },
      },
    } as never);
    const run = (source: string) =>
      shop.reads.runOperation({ kind: 'query' }, async () => {
        shop.lines();
        const { data, errors } = await graphql({ schema, source, contextValue: {} });
        expect(errors).to.equal(undefined);
        return JSON.parse(JSON.stringify(data)) as Record<string, Record<string, unknown>>;
      });
    return { schema, run };
  }

  /** A gate that opens when something was written. */
  const written = async () => {
    while (shop.reads.status().liveWrites.every(({ state }) => state !== 'committed')) {
      await new Promise(setImmediate);
    }
  };

  it('are all of one history by default', async () => {
    const { run } = await open();
    gates = { users: written };
    await run('{ touch { again } users }');
    expect(shop.lines()).to.have.members([
      ...['User.again: primary table-written', 'Query.users: primary table-written'],
    ]);
  });

  it('of a query are held back by their own writes only', async () => {
    const { run } = await open('resolver');
    gates = { users: written, other: written };
    const data = await run(`
      { mine: touch { ...all } users other: user(id: 1) { again } }
      fragment all on User { again posts }`);
    expect(shop.lines()).to.have.members([
      'User.again: primary table-written',
      'User.posts: replica tables-untouched',
      'Query.users: replica no-live-writes',
      'User.again: replica no-live-writes',
    ]);
    expect(data['mine']!['again']).to.equal('new');
  });

  it('of a mutation are held back by the fields before them', async () => {
    const { run } = await open('resolver');
    await run('mutation { first: users touch { again } last: users user(id: 1) { again } }');
    expect(shop.lines()).to.deep.equal([
      'Mutation.users: replica no-live-writes',
      'User.again: primary table-written',
      'Mutation.users: primary table-written',
      'User.again: primary table-written',
    ]);
  });

  it('are all held back by what is written under none', async () => {
    const { run } = await open('resolver');
    await shop.reads.runOperation({}, async () => {
      await shop.User.update({ name: 'new' }, { where: { id: 2 } });
      await run('{ users list { again } }');
      expect(shop.lines()).to.have.members([
        'Query.users: primary table-written',
        ...Array<string>(2).fill('User.again: primary table-written'),
      ]);
    });
  });

  it('tell the token of all that was written', async () => {
    const { run } = await open('resolver');
    const token = await shop.reads.runOperation({}, async () => {
      await run('{ touch { id } }');
      return shop.reads.token();
    });
    const fields = '{ users list { posts } }';
    await shop.reads.runOperation({ token }, () => run(fields));
    expect(shop.lines()).to.include('Query.users: primary table-written');
  });

  it('of two executions in one operation see each other', async () => {
    const { run } = await open('resolver');
    await shop.reads.runOperation({}, async () => {
      await run('{ touch { id } }');
      await run('{ users }');
      expect(shop.lines()).to.deep.equal(['Query.users: primary table-written']);
      expect(shop.reads.history().map(({ table }) => table)).to.deep.equal(['users']);
    });
  });

  it('share loaders: a batch is decided for all of its fields', async () => {
    await open('resolver');
    const together = barrier(2);
    const schema = shop.schema('type Query { mine: String, other: String }', {
      Query: {
        mine: async () => {
          await shop.User.update({ name: 'mine' }, { where: { id: 3 } });
          await together();
          return (await shop.loaders.user.load(3))?.get('name');
        },
        other: async () => {
          await together();
          return (await shop.loaders.user.load(4))?.get('name');
        },
      },
    } as never);
    const { data } = await graphql({ schema, source: '{ mine other }' });
    expect(data).to.deep.include({ mine: 'mine', other: 'user 4' });
    const [line, ...more] = shop.lines();
    expect(line).to.match(
      /^Query\.(mine\+Query\.other|other\+Query\.mine): primary table-written$/,
    );
    expect(more).to.deep.equal([]);
  });

  it('share loaders that ask others: these are asked for all of its fields', async () => {
    await open('resolver');
    const together = barrier(2);
    const { nameOf } = createLoaders(shop.reads, {
      nameOf: batch<number, unknown>({
        reads: [],
        load: (ids) =>
          Promise.all(ids.map(async (id) => (await shop.loaders.user.load(id))?.get('name'))),
      }),
    });
    const schema = shop.schema('type Query { other: String, mine: String }', {
      Query: {
        other: async () => {
          await together();
          return nameOf.load(7);
        },
        mine: async () => {
          await shop.User.update({ name: 'mine' }, { where: { id: 6 } });
          await together();
          return nameOf.load(6);
        },
      },
    } as never);
    const { data } = await graphql({ schema, source: '{ other mine }' });
    expect(data).to.deep.include({ other: 'user 7', mine: 'mine' });
  });

  it('never read from a loader what another field read that need not see their writes', async () => {
    await open('resolver');
    let loaded: (() => void) | undefined;
    const other = new Promise<void>((resolve) => (loaded = resolve));
    const schema = shop.schema(`type Query { mine: String, other: String }`, {
      Query: {
        mine: async () => {
          await shop.User.update({ name: 'mine' }, { where: { id: 5 } });
          await other;
          return (await shop.loaders.user.load(5))?.get('name');
        },
        other: async () => {
          await written();
          const row = await shop.loaders.user.load(5);
          loaded?.();
          return row?.get('name');
        },
      },
    } as never);
    const { data } = await shop.reads.runOperation({}, () =>
      graphql({ schema, source: '{ mine other }' }),
    );
    expect(data).to.deep.include({ mine: 'mine', other: 'user 5' });
  });

  it('events of a subscription are operations of their own, with fresh loaders', async () => {
    const { schema } = await open();
    const ids = new Set<string | undefined>();
    shop.reads.onDecision(({ operation, resolver }) => {
      if (resolver === 'User.name') ids.add(operation?.id);
    });
    const events = await subscribe({
      schema,
      document: parse('subscription { ticks { name posts } }'),
      contextValue: {},
    });
    if (!(Symbol.asyncIterator in events)) throw new Error('no events');
    const results: unknown[] = [];
    for await (const { data, errors } of events) results.push(errors ?? data);
    expect(results).to.have.length(3);
    expect(ids.size).to.equal(3);
    expect([...ids]).not.to.include(undefined);
  });
});
