import { ApolloServer } from '@apollo/server';
import { expect } from 'chai';
import { DataTypes, type Model, type ModelStatic, type Sequelize } from 'sequelize';
import { freshReads, isOptionsError, type Decision, type FreshReads } from '../../src';
import { freshReadsPlugin, withOperation } from '../../src/apollo';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

const typeDefs = `
  type User { id: Int!, name: String!, posts: Int! }
  type Query { users: Int!, posts: Int!, boom: Int }
  type Mutation { createUser(name: String!): User!, countUsers: Int! }
`;

interface Shown {
  tables: string[];
  target: string;
  node: string;
  reason: string;
  resolver: string;
}

describe('the Apollo plugin, on paused replicas', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let User: ModelStatic<Model>;
  let Post: ModelStatic<Model>;
  let server: ApolloServer;

  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial PRIMARY KEY, name text)',
      'CREATE TABLE posts (id serial PRIMARY KEY, title text)',
    );
    sequelize = database.connect();
    const options = { timestamps: false };
    User = sequelize.define('user', { name: DataTypes.TEXT }, options);
    Post = sequelize.define('post', { title: DataTypes.TEXT }, options);
    reads = freshReads(sequelize, { freshness: { mode: 'fixed', windowMs: 60_000 } });
    server = new ApolloServer({
      typeDefs,
      resolvers: {
        User: { posts: () => Post.count() },
        Query: {
          users: () => User.count(),
          posts: () => Post.count(),
          boom: () => {
            throw new Error('boom');
          },
        },
        Mutation: {
          createUser: (_: unknown, { name }: { name: string }) => User.create({ name }),
          countUsers: () => User.count(),
        },
      },
      plugins: [freshReadsPlugin(reads, { exposeDecisions: true, requestId: () => 'request-7' })],
    });
    await server.start();
    await database.pauseReplicas();
  });

  after(async () => {
    await server.stop();
    await database.close();
  });

  async function run(query: string, contextValue: object = {}) {
    const { body } = await server.executeOperation({ query }, { contextValue });
    if (body.kind !== 'single') throw new Error('expected a single result');
    const { data, errors, extensions } = body.singleResult;
    const { decisions } = (extensions?.['freshReads'] ?? {}) as { decisions?: Shown[] };
    const lines = decisions?.map(
      ({ resolver, target, reason, tables }) => `${resolver}: ${target} ${reason} ${tables.join()}`,
    );
    return { data, errors, decisions, lines };
  }

  it('sends each read where its own operation and its tables demand', async () => {
    const { data, lines } = await run(
      'mutation { createUser(name: "ann") { id name posts } countUsers }',
    );
    expect(data).to.have.nested.property('createUser.name', 'ann');
    expect(data).to.have.property('countUsers', 1);
    expect(lines).to.deep.equal([
      'Mutation.createUser: primary not-a-read users',
      'User.posts: replica tables-untouched posts',
      'Mutation.countUsers: primary table-written users',
    ]);
  });

  it('gives every execution a history of its own, also on one shared context', async () => {
    const shared = {};
    const [mutation, query] = await Promise.all([
      run('mutation { createUser(name: "bob") { id } }', shared),
      run('{ users posts }', shared),
    ]);
    expect(mutation.errors).to.equal(undefined);
    expect(query.data).to.deep.equal({ users: 0, posts: 0 });
    expect(query.decisions?.map(({ target }) => target)).to.deep.equal(['replica', 'replica']);
    expect(query.decisions?.map(({ node }) => node)).to.satisfy((nodes: string[]) =>
      nodes.every((node) => /^replica[12]$/.test(node)),
    );
  });

  it('names the operation by the request id', async () => {
    const seen: Decision[] = [];
    const subscription = reads.onDecision((decision) => seen.push(decision));
    await run('query Names { users }');
    subscription.dispose();
    expect(seen[0]?.operation).to.deep.equal({ id: 'request-7', name: 'Names', kind: 'query' });
  });

  it('leaves requests alone whose operation never opens', async () => {
    const { errors, decisions } = await run('{ nothing }');
    expect(errors?.[0]?.message).to.match(/Cannot query field "nothing"/);
    expect(decisions).to.equal(undefined);
  });

  it('passes errors of resolvers on', async () => {
    const { errors, decisions } = await run('{ boom users }');
    expect(errors?.[0]?.message).to.equal('boom');
    expect(decisions).to.have.length(1);
  });

  it('counts what the context function wrote', async () => {
    const context = withOperation(reads, async (name: string) => {
      await User.create({ name });
      return { name };
    });
    const contextValue = await context('ctx');
    expect(contextValue).to.have.property('name', 'ctx');
    const { lines } = await run('{ users posts }', contextValue);
    // The two reads run side by side.
    expect(lines).to.have.members([
      'undefined: primary not-a-read users',
      'Query.users: primary table-written users',
      'Query.posts: replica tables-untouched posts',
    ]);
    const other = await run('{ users }');
    expect(other.lines).to.deep.equal(['Query.users: replica no-live-writes users']);
  });

  it('is a part of the operation that it runs inside', async () => {
    await reads.runOperation({ name: 'job' }, async () => {
      await run('mutation { createUser(name: "inner") { id } }');
      expect(reads.history().map(({ table }) => table)).to.deep.equal(['users']);
      expect(await User.count({ where: { name: 'inner' } })).to.equal(1);
    });
  });

  it('takes a frozen context, and one that is no object', async () => {
    const frozen = await withOperation(reads, () => Object.freeze({ a: 1 }))();
    expect(frozen).to.deep.include({ a: 1 });
    expect(await withOperation(reads, () => 5)()).to.equal(5);
  });

  it('refuses what it can not work with', () => {
    const refused: [() => unknown, string][] = [
      [
        () => freshReadsPlugin({} as never),
        'freshReadsPlugin: the first argument must be the handle that freshReads(sequelize) gave, got {}.',
      ],
      [
        () => freshReadsPlugin(reads, { exposeDecision: true } as never),
        'freshReadsPlugin: unknown option "exposeDecision"; did you mean "exposeDecisions"?',
      ],
      [
        () => freshReadsPlugin(reads, { exposeDecisions: 1 } as never),
        'freshReadsPlugin: exposeDecisions must be true or false, got 1.',
      ],
      [
        () => freshReadsPlugin(reads, { requestId: 'x' } as never),
        'freshReadsPlugin: requestId must be a function that returns the id, got "x".',
      ],
      [
        () => freshReadsPlugin(reads, null as never),
        'freshReadsPlugin(reads, options): options must be an object, got null.',
      ],
      [
        () => withOperation(reads, 5 as never),
        'withOperation(reads, contextFn): contextFn must be a function, got 5.',
      ],
    ];
    for (const [call, message] of refused) {
      expect(call).to.throw(message).that.satisfies(isOptionsError);
    }
  });
});
