import { expect } from 'chai';
import { embeddedDatabase } from '../../example-graphql/database';
import { startExample, type Example } from '../../example-graphql/start';
import type { Decision } from '../../src';
import { startCluster, type Cluster } from '../../src/testing';
import { Client, at, decisionsOf, type Answer, type Question } from './client';

const seed = {
  users: 40,
  neighbourhoods: 4,
  posts: 60,
  comments: 120,
  reactions: 60,
  notifications: 20,
};

/** A kind of operation, the n-th of its kind, and what has to be true of its answer. */
interface Kind {
  readonly question: (n: number) => Question;
  readonly resolvers: readonly string[];
  /** The tables it writes; reads of all others belong to the replicas. */
  readonly writes: readonly string[];
  readonly check: (answer: Answer, n: number) => void;
}

const kinds: readonly Kind[] = [
  {
    question: (n) => ({
      query: `query ($id: ID!) { post(id: $id) { title author { name } comments { author { name } } } }`,
      variables: { id: (n % seed.posts) + 1 },
    }),
    resolvers: ['Query.post', 'Post.author', 'Post.comments', 'Comment.author'],
    writes: [],
    check: (answer) => expect(at(answer.data, 'post.title')).to.be.a('string'),
  },
  {
    question: (n) => ({
      query: `mutation ($id: ID!, $body: String!) {
        addComment(input: { postId: $id, authorId: 1, body: $body }) {
          author { handle }
          post { title comments { body } }
        }
      }`,
      variables: { id: (n % 8) + 1, body: `comment ${n}` },
    }),
    resolvers: ['Mutation.addComment', 'Comment.author', 'Comment.post', 'Post.comments'],
    writes: ['comments', 'notifications'],
    check: (answer, n) =>
      expect(at(answer.data, 'addComment.post.comments.*.body')).to.include(`comment ${n}`),
  },
  {
    question: () => ({
      query: `query { users(limit: 3) { total items { name posts { title commentCount } } } }`,
    }),
    resolvers: ['Query.users', 'User.posts', 'Post.commentCount'],
    writes: [],
    // Those of other operations are not there yet, and nobody promised them.
    check: (answer) => expect(at(answer.data, 'users.total')).to.equal(seed.users),
  },
  {
    question: (n) => ({
      query: `mutation ($id: ID!, $name: String!) {
        updateUser(id: $id, input: { name: $name }) { comments { author { name } } }
      }`,
      variables: { id: (n % seed.users) + 1, name: `name ${n}` },
    }),
    resolvers: ['Mutation.updateUser', 'User.comments', 'Comment.author'],
    writes: ['users'],
    check(answer, n) {
      const names = at(answer.data, 'updateUser.comments.*.author.name') as string[];
      expect(names).to.not.be.empty;
      expect(new Set(names)).to.deep.equal(new Set([`name ${n}`]));
    },
  },
];

function checkAnswer(answer: Answer, { resolvers, writes, check }: Kind, n: number): void {
  expect(answer.errors).to.equal(undefined);
  check(answer, n);
  const shown = decisionsOf(answer);
  expect(shown).to.not.be.empty;
  for (const { tables, target, resolver } of shown) {
    expect(resolvers).to.include(resolver);
    const own = tables.some((table) => writes.includes(table));
    // The row to be changed is looked up before the first write: that may be on either side.
    if (!own) expect(target, `${String(resolver)} reads ${tables.join()}`).to.equal('replica');
  }
}

describe('many operations at once, while no replica gets anything new', () => {
  let cluster: Cluster;
  let example: Example;
  let client: Client;
  let decisions: Decision[];

  before(async () => {
    cluster = await startCluster({ replicas: 2 });
    const database = embeddedDatabase(cluster);
    example = await startExample({ database, seed });
    client = new Client(example.url);
    for (const replica of cluster.replicas) await replica.pause();
    decisions = [];
    example.reads.onDecision((decision) => decisions.push(decision));
  });

  beforeEach(() => {
    decisions.length = 0;
  });

  after(async () => {
    await example.stop();
    await cluster.stop();
  });

  /** What the primary was asked about our tables, connection by connection. */
  async function askedOfPrimary(): Promise<object[]> {
    return cluster.primary.query(
      `SELECT pid, query_start::text, query FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND query ~ '"(users|posts|comments)"' ORDER BY pid`,
    );
  }

  it('keeps the primary out of operations that only read', async () => {
    const before = await askedOfPrimary();
    for (const [n, kind] of kinds.entries()) {
      if (kind.writes.length > 0) continue;
      const { query, variables } = kind.question(n);
      const answer = await client.ask(query, variables, { 'x-user-handle': 'ada_ash' });
      expect(answer.errors).to.equal(undefined);
      for (const decision of decisionsOf(answer)) expect(decision.target).to.equal('replica');
    }
    expect(decisions).to.have.length.greaterThan(6);
    expect(decisions.map(({ target }) => target)).to.not.include('primary');
    expect(before).to.include.deep.members(await askedOfPrimary());

    // The same look does notice a write.
    await client.ask('mutation { updateUser(id: 9, input: { bio: "Noticed" }) { bio } }');
    expect(JSON.stringify(await askedOfPrimary())).to.include('UPDATE \\"users\\"');
  });

  it('keeps 200 histories apart', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const kind = kinds[n % kinds.length]!;
        const { query, variables } = kind.question(n);
        return { kind, n, answer: await client.ask(query, variables) };
      }),
    );
    for (const { kind, n, answer } of answers) checkAnswer(answer, kind, n);
    checkDecisions(decisions, 200);
  });

  it('keeps the operations of one HTTP batch apart', async () => {
    const size = 12;
    const questions = Array.from({ length: size }, (_, n) =>
      kinds[n % kinds.length]!.question(500 + n),
    );
    const answers = await client.batch(questions);
    expect(answers).to.have.length(size);
    answers.forEach((answer, n) => checkAnswer(answer, kinds[n % kinds.length]!, 500 + n));
    checkDecisions(decisions, size);
  });
});

function checkDecisions(decisions: readonly Decision[], operations: number): void {
  const seen = new Set(decisions.map(({ operation }) => operation));
  expect(seen.size).to.equal(operations);
  for (const { operation, target, writes } of decisions) {
    if (operation?.kind === 'query') expect(target).to.equal('replica');
    for (const write of writes) expect(write.operation).to.equal(operation);
  }
  const held = decisions.filter(({ reason }) => reason === 'table-written');
  expect(held.length).to.be.at.least(operations / 2);
  for (const { writes } of held) expect(writes).to.not.be.empty;
}
