import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { buildSchema } from 'graphql';
import { QueryTypes } from 'sequelize';
import { embeddedDatabase } from '../../example-graphql/database';
import { typeDefs } from '../../example-graphql/schema';
import { startExample, type Example } from '../../example-graphql/start';
import { startCluster, type Cluster } from '../../src/testing';
import { Client, decisionsOf } from './client';
import { addPlayer, play, steps, type Outcome } from './scenario';

const seed = {
  users: 5,
  neighbourhoods: 2,
  posts: 10,
  comments: 20,
  reactions: 10,
  notifications: 4,
};

describe('the example, while no replica gets anything new', () => {
  let cluster: Cluster;
  const running: Example[] = [];
  let on: readonly Outcome[];
  let off: readonly Outcome[];

  before(async () => {
    cluster = await startCluster({ replicas: 2 });
    const database = embeddedDatabase(cluster);
    const enforcing = await startExample({ database, seed });
    running.push(enforcing);
    const observing = await startExample({ database, seed, routing: 'observe' });
    running.push(observing);
    const players = [
      await addPlayer(cluster.primary, 'with_it'),
      await addPlayer(cluster.primary, 'without_it'),
    ] as const;
    await cluster.waitForReplicas();
    for (const replica of cluster.replicas) await replica.pause();
    on = await play(new Client(enforcing.url), players[0]);
    off = await play(new Client(observing.url), players[1]);
  });

  after(async () => {
    for (const example of running) await example.stop();
    await cluster.stop();
  });

  it('plays every mutation of the schema', () => {
    const mutations = Object.keys(buildSchema(typeDefs).getMutationType()?.getFields() ?? {});
    expect(steps.map(({ name }) => name)).to.include.members(mutations);
  });

  for (const [index, { name, untouched }] of steps.entries()) {
    it(`${name}: sees what it wrote, and reads the rest from a standby`, () => {
      const { answer, seen, expected } = on[index]!;
      expect(answer.errors).to.equal(undefined);
      expect(seen).to.deep.equal(expected);
      const shown = decisionsOf(answer);
      for (const table of untouched) {
        const reads = shown.filter(({ tables }) => tables.join() === table);
        expect(reads, `reads of ${table}`).to.not.be.empty;
        for (const read of reads) {
          expect(read.target).to.equal('replica');
          expect(read.node).to.match(/^replica[12]$/);
        }
      }
      expect(shown.map(({ target }) => target)).to.include('primary');
    });
  }

  it('is stale in every step that could be, on the replication of Sequelize alone', () => {
    const staleOf = (outcomes: readonly Outcome[]) =>
      outcomes
        .filter(({ seen, expected }) => !isDeepStrictEqual(seen, expected))
        .map(({ step }) => step.name);
    expect(staleOf(on)).to.deep.equal([]);
    // Nobody has written anything that createUser reads: there is nothing to be late with.
    const possible = steps.map(({ name }) => name).filter((name) => name !== 'createUser');
    expect(staleOf(off)).to.deep.equal(possible);
    const ask = off.find(({ step }) => step.name === 'askNeighbours');
    expect(ask?.answer.errors?.[0]?.message).to.equal('nobody here is called "without_it_asks"');
  });

  it('says the same in the rows themselves: pg_is_in_recovery()', async () => {
    const { sequelize, reads, models } = running[0]!;
    const standby = async (table: string) => {
      const [row] = await sequelize.query<{ standby: boolean }>(
        `SELECT pg_is_in_recovery() AS standby FROM ${table} LIMIT 1`,
        { type: QueryTypes.SELECT },
      );
      return row?.standby;
    };
    const seen = await reads.runOperation({ kind: 'mutation' }, async () => {
      const before = await standby('comments');
      const post = await models.Post.findOne({ rejectOnEmpty: true });
      await models.Comment.create({ body: 'Here', postId: post.id, authorId: post.authorId });
      return {
        before,
        written: await standby('comments'),
        posts: await standby('posts'),
        users: await standby('users'),
      };
    });
    expect(seen).to.deep.equal({ before: true, written: false, posts: true, users: true });
  });
});
