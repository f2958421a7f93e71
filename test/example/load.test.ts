import { expect } from 'chai';
import { embeddedDatabase } from '../../example-graphql/database';
import { countReads } from '../../example-graphql/demo/read-counter';
import { startExample, type Example } from '../../example-graphql/start';
import { startCluster, type Cluster, type ClusterNode } from '../../src/testing';
import { Client, at, type Answer, type Question } from './client';

const CLIENTS = 50;
const OPERATIONS_EACH = 5;
const seed = {
  users: 100,
  neighbourhoods: 5,
  posts: 300,
  comments: 600,
  reactions: 300,
  notifications: 100,
};

/** One operation of a client. */
interface Turn extends Question {
  /** Undefined for a query; else what the answer has to show of the write. */
  readonly fresh?: (answer: Answer) => void;
}

const queries: readonly ((n: number) => Question)[] = [
  () => ({
    query: `query { posts(status: PUBLISHED, limit: 10) {
      total items { title author { name } commentCount reactionCount }
    } }`,
  }),
  (n) => ({
    query: `query ($id: ID!) { post(id: $id) {
      title author { name neighbourhoods { name } } comments(first: 5) { body author { name } }
    } }`,
    variables: { id: (n % seed.posts) + 1 },
  }),
  (n) => ({
    query: `query ($id: ID!) { user(id: $id) { name posts(first: 3) { title commentCount } } }`,
    variables: { id: (n % seed.users) + 1 },
  }),
  () => ({
    query: `query { neighbourhoods(limit: 5) {
      total items { name memberCount posts(first: 3) { title } members(first: 3) { name } }
    } }`,
  }),
];

/** Every tenth is a mutation, at another place for each client, of rows that no other client writes. */
function turnOf(client: number, n: number): Turn {
  const number = client * OPERATIONS_EACH + n;
  if ((n + client) % 10 !== 0) return queries[number % queries.length]!(number);
  const id = client + 1;
  if (client % 2 === 0) {
    const body = `comment ${number}`;
    return {
      query: `mutation ($id: ID!, $body: String!) {
        addComment(input: { postId: $id, authorId: $id, body: $body }) {
          post { title author { name } reactionCount comments { body } }
        }
      }`,
      variables: { id, body },
      fresh: ({ data }) => expect(at(data, 'addComment.post.comments.*.body')).to.include(body),
    };
  }
  const name = `name ${number}`;
  return {
    query: `mutation ($id: ID!, $name: String!) {
      updateUser(id: $id, input: { name: $name }) { posts { author { name } commentCount } }
    }`,
    variables: { id, name },
    fresh({ data }) {
      const names = at(data, 'updateUser.posts.*.author.name') as string[];
      expect(new Set(names)).to.deep.equal(new Set([name]));
    },
  };
}

/** The scans of tables that a node has counted. */
async function scansOf(node: ClusterNode): Promise<number> {
  const [row] = await node.query(
    `SELECT sum(seq_scan + coalesce(idx_scan, 0))::int AS scans FROM pg_stat_user_tables`,
  );
  return Number(row?.['scans']);
}

describe('fifty clients at once, nine queries to a mutation, replicas 300 ms behind', () => {
  let cluster: Cluster;
  let example: Example;
  let scansBefore: number[];

  const nodes = () => [cluster.primary, ...cluster.replicas];
  const scans = () => Promise.all(nodes().map(scansOf));

  before(async () => {
    cluster = await startCluster({ replicas: 2 });
    const database = embeddedDatabase(cluster);
    // A server counts in what a session did when the session ends: the seed's are none of the load's.
    await (await startExample({ database, seed })).stop();
    scansBefore = await scans();
    example = await startExample({ database, seed });
    for (const replica of cluster.replicas) await replica.setLag(300);
  });

  after(() => cluster.stop());

  it('is never stale, and over 90 % of the reads are answered by standbys', async () => {
    const client = new Client(example.url);
    const statements = countReads(example.sequelize, nodes());
    let mutations = 0;
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, number) => {
        for (let n = 0; n < OPERATIONS_EACH; n++) {
          const { query, variables, fresh } = turnOf(number, n);
          const answer = await client.ask(query, variables);
          expect(answer.errors, query).to.equal(undefined);
          if (!fresh) continue;
          mutations++;
          fresh(answer);
        }
      }),
    );
    await example.stop();
    expect(mutations).to.equal((CLIENTS * OPERATIONS_EACH) / 10);

    // SELECT statements by the connection that they ran on.
    const selects = statements.take();
    const total = [...selects.values()].reduce((sum, count) => sum + count, 0);
    expect(total).to.be.greaterThan(CLIENTS * OPERATIONS_EACH);
    expect((selects.get('primary') ?? 0) / total).to.be.below(0.1);

    // The same by what the servers have counted themselves.
    const [primary = 0, ...standbys] = (await scans()).map(
      (count, index) => count - scansBefore[index]!,
    );
    for (const count of standbys) expect(count).to.be.greaterThan(1000);
    const all = standbys.reduce((sum, count) => sum + count, primary);
    // Those of the primary have the look-ups of its writes among them, foreign keys for example.
    expect(primary / all).to.be.below(0.1);
  });
});
