import { expect } from 'chai';
import { GraphQLInt, GraphQLObjectType, GraphQLSchema, graphql } from 'graphql';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { isOptionsError } from '../../src';
import { freshnessTypeDefs } from '../../src/apollo';
import { readFreshness } from '../../src/graphql/freshness';
import { wrapResolvers } from '../../src/graphql';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { Shop, TABLES } from './support';

const typeDefs = `
  type Post { title: String, count: Int! @freshness(read: FRESH) }
  type Old @freshness(read: REPLICA) { users: Int!, posts: [Post!]! @freshness(read: PRIMARY) }
  interface Thing @freshness(read: PRIMARY) { id: Int! }
  type A implements Thing { id: Int!, users: Int! }
  union Any @freshness(read: PRIMARY) = A | Post
  type Plain { users: Int!, inner: Plain }
  type Query {
    users: Int!
    primary: Int! @freshness(read: PRIMARY)
    replica: Int! @freshness(read: REPLICA)
    near: Int! @freshness(maxLagMs: 0)
    old: Old
    olds: [Old!]!
    thing: Thing
    any: [Any!]
    plain: Plain @freshness(read: PRIMARY)
    a: String @freshness(read: PRIMARY)
    b: String
    query: Int! @freshness(read: PRIMARY)
    scope: Int! @freshness(read: PRIMARY)
    master: Int! @freshness(read: REPLICA)
    inTransaction: Int! @freshness(read: REPLICA)
  }
`;

describe('@freshness', () => {
  let database: TestDatabase;
  let shop: Shop;
  let run: (source: string) => Promise<string[]>;

  before(async () => {
    database = await createDatabase(...TABLES);
    await database.pauseReplicas();
    shop = new Shop(database);
    await shop.reads.ready();
    const users = () => shop.User.count();
    const name = async () => (await shop.loaders.user.load(1))?.get('name');
    const schema = shop.schema(typeDefs, {
      Post: { count: users },
      Old: { users, posts: async () => [{ title: String(await shop.User.count()) }] },
      A: { users },
      Thing: { __resolveType: () => 'A' },
      Any: { __resolveType: () => 'A' },
      Plain: { users },
      Query: {
        ...{ users, primary: users, replica: users, near: users },
        old: () => ({}),
        olds: () => [{}, {}],
        thing: async () => ({ id: await users() }),
        any: async () => [{ id: await users() }],
        // The default resolver carries it down to where somebody reads.
        plain: () => ({ inner: { inner: {} } }),
        a: name,
        b: name,
        query: () => shop.User.count({ freshness: 'fresh' } as object),
        scope: () => shop.reads.useReplica(users),
        master: () => shop.User.count({ useMaster: true }),
        inTransaction: () =>
          shop.sequelize.transaction((transaction) => shop.User.count({ transaction })),
      },
    } as never);
    run = async (source) => {
      shop.lines();
      const { errors } = await graphql({ schema, source, contextValue: {} });
      expect(errors).to.equal(undefined);
      return shop.lines();
    };
  });
  after(() => database.close());

  const asked = (resolver: string, target: string) => `${resolver}: ${target} asked-${target}`;
  const free = (resolver: string) => `${resolver}: replica no-live-writes`;

  it('of a field speaks for what it reads', async () => {
    expect(await run('{ users primary replica near }')).to.have.members([
      free('Query.users'),
      asked('Query.primary', 'primary'),
      asked('Query.replica', 'replica'),
      'Query.near: primary too-far-behind',
    ]);
  });

  it('of a type speaks for the fields that return it, lists too, and for what lies below', async () => {
    expect(await run('{ thing { id } any { ... on A { users } } }')).to.have.members([
      asked('Query.thing', 'primary'),
      asked('Query.any', 'primary'),
      asked('A.users', 'primary'),
    ]);
    expect(await run('{ olds { users } one: old { users } }')).to.deep.equal(
      Array(3).fill(asked('Old.users', 'replica')),
    );
  });

  it('is overridden further down, and inherited through fields that nobody wrote a resolver for', async () => {
    expect(await run('{ old { users posts { title count } } }')).to.have.members([
      asked('Old.users', 'replica'),
      asked('Old.posts', 'primary'),
      free('Post.count'),
    ]);
    expect(await run('{ plain { users inner { inner { users } } } }')).to.deep.equal(
      Array(2).fill(asked('Plain.users', 'primary')),
    );
  });

  it('keeps loads apart that ask for different things', async () => {
    expect(await run('{ a b c: a }')).to.have.members([
      'Query.a: primary asked-primary',
      free('Query.b'),
    ]);
  });

  it('is weaker than what the query, the code around it, useMaster and a transaction say', async () => {
    expect(await run('{ query scope master inTransaction }')).to.have.members([
      free('Query.query'),
      asked('Query.scope', 'replica'),
      asked('Query.master', 'primary'),
      'Query.inTransaction: primary in-transaction',
    ]);
    const around = await shop.reads.usePrimary(() => run('{ replica }'));
    expect(around).to.deep.equal([asked('Query.replica', 'primary')]);
  });

  it('is stronger than the rule', async () => {
    await shop.reads.runOperation({}, async () => {
      await shop.User.create({ name: 'x' });
      expect(await run('{ users replica }')).to.have.members([
        'Query.users: primary table-written',
        asked('Query.replica', 'replica'),
      ]);
    });
  });

  it('costs nothing where the schema has none', () => {
    const schema = makeExecutableSchema({ typeDefs: 'type Query { users: Int }' });
    expect(readFreshness(schema)).to.equal(undefined);
    wrapResolvers(schema);
    expect(schema.getQueryType()!.getFields()['users']!.resolve).to.equal(undefined);
  });

  it('of a schema made by code is an extension', async () => {
    const field = (freshness: unknown) => ({
      type: GraphQLInt,
      extensions: { freshness },
      resolve: () => shop.User.count(),
    });
    const schema = (freshness: unknown) =>
      new GraphQLSchema({
        query: new GraphQLObjectType({ name: 'Query', fields: { users: field(freshness) } }),
      });
    const good = schema({ read: 'PRIMARY' });
    wrapResolvers(good);
    shop.lines();
    await graphql({ schema: good, source: '{ users }' });
    expect(shop.lines()).to.deep.equal([asked('Query.users', 'primary')]);
    for (const [given, message] of [
      [
        'PRIMARY',
        'extensions.freshness must be an object such as { read: \'PRIMARY\' }, got "PRIMARY"',
      ],
      [{ read: 'primary' }, 'read must be FRESH, PRIMARY or REPLICA, got "primary"'],
      [{ read: 'constructor' }, 'read must be FRESH, PRIMARY or REPLICA, got "constructor"'],
      [{ reads: 'PRIMARY' }, 'did you mean "read"?'],
      [{ maxLagMs: NaN }, 'maxLagMs must be a number of milliseconds, zero or more, got NaN'],
      [{}, 'says nothing; give read, maxLagMs, or both'],
    ] as const) {
      expect(() => wrapResolvers(schema(given)), message)
        .to.throw(message)
        .that.satisfies(isOptionsError);
    }
  });

  it('that makes no sense is refused when the server starts', () => {
    for (const [sdl, message] of [
      [
        'type Query { a: Int @freshness }',
        'Query.a: @freshness says nothing; give read, maxLagMs, or both.',
      ],
      [
        'type Query { a: Int @freshness(maxLagMs: -1) }',
        'Query.a: @freshness: maxLagMs must be a number of milliseconds, zero or more, got -1.',
      ],
      [
        'type Query { a: Int @freshness(read: PRIMARY, maxLagMs: 5) }',
        'Query.a: @freshness: maxLagMs (5) bounds what replicas may answer, and read: PRIMARY asks none; leave one.',
      ],
      [
        'type Query @freshness(read: REPLICA) { a: Int }',
        'Query: no field returns this type, so @freshness on it says nothing; put it on its fields.',
      ],
      [
        'interface I { a: Int @freshness(read: PRIMARY) } type T implements I { a: Int } type Query { t: T }',
        'I.a: @freshness on a field of an interface says nothing, since objects are what is resolved; put it on that field of the object types.',
      ],
    ] as const) {
      const schema = makeExecutableSchema({ typeDefs: [freshnessTypeDefs, sdl] });
      expect(() => wrapResolvers(schema), sdl)
        .to.throw(message)
        .that.satisfies(isOptionsError);
    }
  });
});
