import { envelop, useEngine, useSchema } from '@envelop/core';
import { expect } from 'chai';
import * as graphql from 'graphql';
import { createSchema } from 'graphql-yoga';
import type { Decision } from '../../src';
import { useFreshReads } from '../../src/envelop';
import { makeGround, typeDefs, type Ground } from './ground';

interface Result {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[];
}

describe('plain Envelop, with graphql-js', () => {
  let ground: Ground;
  const seen: Decision[] = [];
  let getEnveloped: ReturnType<typeof envelopOf>;

  function envelopOf(execute: (args: graphql.ExecutionArgs) => unknown = graphql.execute) {
    return envelop({
      plugins: [
        useEngine({ ...graphql, execute }),
        useSchema(createSchema({ typeDefs, resolvers: ground.resolvers })),
        useFreshReads(ground.reads),
      ],
    });
  }

  before(async () => {
    ground = await makeGround();
    ground.reads.onDecision((decision) => seen.push(decision));
    getEnveloped = envelopOf();
  });
  beforeEach(() => {
    seen.length = 0;
  });
  afterEach(() => ground.database.resumeReplicas());
  after(() => ground.database.close());

  async function run(query: string, context: object = {}, from = getEnveloped): Promise<Result> {
    const enveloped = from(context);
    return (await enveloped.execute({
      document: enveloped.parse(query) as unknown,
      schema: enveloped.schema as unknown,
      contextValue: (await enveloped.contextFactory()) as unknown,
    })) as Result;
  }

  async function subscribe(query: string): Promise<AsyncIterableIterator<Result>> {
    const enveloped = getEnveloped({});
    return (await enveloped.subscribe({
      document: enveloped.parse(query) as unknown,
      schema: enveloped.schema as unknown,
      contextValue: (await enveloped.contextFactory()) as unknown,
    })) as AsyncIterableIterator<Result>;
  }

  const lines = () =>
    seen.map(({ resolver, target, reason }) => `${resolver}: ${target} ${reason}`);
  const operations = () => new Set(seen.map(({ operation }) => operation?.id)).size;

  it('gives parallel executions histories of their own, also on one shared context', async () => {
    await ground.database.pauseReplicas();
    const shared = {};
    const [mutation, query] = await Promise.all([
      run('mutation { createUser(name: "ann") { posts } countUsers }', shared),
      run('{ users posts }', shared),
    ]);
    expect([mutation.errors, query.errors]).to.deep.equal([undefined, undefined]);
    expect(lines()).to.have.members([
      'Mutation.createUser: primary not-a-read',
      'User.posts: replica tables-untouched',
      'Mutation.countUsers: primary table-written',
      'Query.users: replica no-live-writes',
      'Query.posts: replica no-live-writes',
    ]);
    expect(operations()).to.equal(2);
  });

  it('gives each event an operation and loaders of its own', async () => {
    const names: unknown[] = [];
    for await (const { data } of await subscribe('subscription { renamed { name } }')) {
      names.push(data);
    }
    expect(names).to.deep.equal([
      { renamed: { name: 'event 1' } },
      { renamed: { name: 'event 2' } },
    ]);
    expect(operations()).to.equal(2);
  });

  it('ends a subscription that nobody wants any more', async () => {
    const events = await subscribe('subscription { renamed(times: 1000) { name } }');
    await events.next();
    await events.return?.();
    expect(await events.next()).to.deep.include({ done: true });
  });

  it('passes on what an executor throws', async () => {
    const failing = envelopOf(() => Promise.reject(new Error('broken executor')));
    const error: unknown = await run('{ users }', {}, failing).catch((reason: unknown) => reason);
    expect(error).to.be.an('error').with.property('message', 'broken executor');
    const throwing = envelopOf(() => {
      throw new Error('thrown');
    });
    const thrown: unknown = await run('{ users }', {}, throwing).catch((reason: unknown) => reason);
    expect(thrown).to.be.an('error').with.property('message', 'thrown');
  });

  it('is a part of the operation that it runs inside', async () => {
    const { reads, User } = ground;
    await ground.database.pauseReplicas();
    await reads.runOperation({ name: 'job' }, async () => {
      await run('mutation { createUser(name: "inner") { id } }');
      expect(reads.history().map(({ table }) => table)).to.deep.equal(['users']);
      expect(await User.count({ where: { name: 'inner' } })).to.equal(1);
    });
  });
});
