import { expect } from 'chai';
import { embeddedDatabase, openDatabase } from '../../example-graphql/database';
import { tabs } from '../../example-graphql/graphiql';
import { startExample, type Example } from '../../example-graphql/start';
import { startCluster, type Cluster } from '../../src/testing';
import { blocksOf } from '../readme/markdown';
import { Client, at, decisionsOf } from './client';

describe('the example as a service', () => {
  let cluster: Cluster;
  let example: Example;
  let client: Client;
  const log: string[] = [];

  before(async () => {
    cluster = await startCluster({ replicas: 1 });
    const database = embeddedDatabase(cluster);
    example = await startExample({ database, log: (line) => log.push(line) });
    client = new Client(example.url);
  });

  after(async () => {
    await example.stop();
    await cluster.stop();
  });

  it('shows how far the seed is', () => {
    expect(log).to.include.members(['seed    users 400/400', 'seed    comments 6000/6000']);
  });

  it('listens on this machine only', () => {
    expect(example.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('pages, filters and follows the relations', async () => {
    const { data, errors } = await client.ask(`{
      users(limit: 2, offset: 1) { total items { id handle posts { id } comments { id } } }
      posts(status: DRAFT, limit: 100) { total items { status author { id } commentCount } }
      comments(limit: 3) { id author { name } post { title } }
      post(id: 1) { title createdAt }
      comment(id: 1) { body createdAt }
      nobody: user(id: 100000) { id }
      byHandle: userByHandle(handle: "ada_ash") { id }
    }`);
    expect(errors).to.equal(undefined);
    expect(at(data, 'users.total')).to.equal(400);
    expect(at(data, 'users.items.*.id')).to.deep.equal(['2', '3']);
    expect(at(data, 'posts.total')).to.equal(200);
    expect(new Set(at(data, 'posts.items.*.status') as string[])).to.deep.equal(new Set(['DRAFT']));
    expect(at(data, 'comments')).to.have.length(3);
    expect(at(data, 'nobody')).to.equal(null);
    expect(at(data, 'byHandle')).to.deep.equal({ id: '1' });
  });

  it('batches: a page of posts with authors and comments is six statements', async () => {
    const answer = await client.ask(`{
      posts(limit: 50) { total items { author { name } commentCount comments { author { name } } } }
    }`);
    expect(decisionsOf(answer).length).to.equal(6);
  });

  it('knows the current user by a header, in the context function', async () => {
    const me = 'mutation { createPost(input: { title: "Mine" }) { author { handle } } }';
    const answer = await client.ask(me, {}, { 'x-user-handle': 'ben_ash' });
    expect(at(answer.data, 'createPost.author.handle')).to.equal('ben_ash');
    const stranger = await client.ask(me, {}, { 'x-user-handle': 'nobody' });
    expect(stranger.errors?.[0]?.message).to.match(/^say who you are: give authorId/);
  });

  it('gives every answer a request id, and logs a line under it', async () => {
    const response = await fetch(`${example.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'query Named { post(id: 1) { id } }' }),
    });
    await response.text();
    const id = response.headers.get('x-request-id') ?? '';
    expect(id).to.match(/^[0-9a-f-]{36}$/);
    const lines = log.filter((line) => line.startsWith(id));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^\S+ {2}query Named {2}\d+ ms {2}ok {2}replica1 1$/);
  });

  it('names the operation of a decision by that request id', async () => {
    const ids = new Set<string | undefined>();
    const listening = example.reads.onDecision(({ operation }) => ids.add(operation?.id));
    const response = await fetch(`${example.url}/graphql?query={post(id:1){id}}`, {
      headers: { 'apollo-require-preflight': 'yes' },
    });
    await response.text();
    listening.dispose();
    expect([...ids]).to.deep.equal([response.headers.get('x-request-id')]);
  });

  const refusals: readonly [string, string, string][] = [
    ['publishPost(id: 99999) { id }', 'NOT_FOUND', 'there is no post with id 99999'],
    ['deleteComment(id: 99999) { id }', 'NOT_FOUND', 'there is no comment with id 99999'],
    ['updateUser(id: 99999, input: {}) { id }', 'NOT_FOUND', 'there is no user with id 99999'],
    ['publishPost(id: "x") { id }', 'BAD_USER_INPUT', 'an id is a whole number from 1, got "x"'],
    [
      'createPost(input: { title: " ", authorId: 1 }) { id }',
      'BAD_USER_INPUT',
      'the title must not be empty',
    ],
    [
      'addComment(input: { postId: 1, authorId: 1, body: "" }) { id }',
      'BAD_USER_INPUT',
      'the comment must not be empty',
    ],
    [
      'createUser(input: { handle: "ada_ash", name: "Ada" }) { id }',
      'CONFLICT',
      'the handle "ada_ash" is taken',
    ],
    [
      'createUser(input: { handle: "A B", name: "Ada" }) { id }',
      'BAD_USER_INPUT',
      'a handle is 2 to 30 lower-case letters, digits and underscores, a letter first',
    ],
  ];
  for (const [field, code, message] of refusals) {
    it(`refuses ${field}: ${code}`, async () => {
      const { errors } = await client.ask(`mutation { ${field} }`);
      expect(errors?.map((error) => [error.extensions, error.message])).to.deep.equal([
        [{ code }, message],
      ]);
    });
  }

  it('refuses pages out of bounds', async () => {
    const { errors } = await client.ask('{ users(limit: 1000) { total } }');
    expect(errors?.[0]?.message).to.equal('limit must be from 1 to 100, got 1000');
  });

  it('shows nothing of an error of its own', async () => {
    await cluster.primary.query('ALTER TABLE comments RENAME COLUMN body TO hidden');
    try {
      const ask = () =>
        client.ask('mutation { addComment(input: { postId: 1, authorId: 1, body: "x" }) { id } }');
      const { errors } = await ask();
      expect(errors).to.have.length(1);
      expect(errors?.[0]).to.include({ message: 'something went wrong on our side' });
      expect(errors?.[0]?.extensions).to.deep.equal({ code: 'INTERNAL_SERVER_ERROR' });
      expect(log.at(-2)).to.match(/^error {3}addComment column "body"/);
    } finally {
      await cluster.primary.query('ALTER TABLE comments RENAME COLUMN hidden TO body');
      await cluster.waitForReplicas();
    }
  });

  it('answers a body that is no JSON with a message, not with a page', async () => {
    const response = await fetch(`${example.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{bad',
    });
    expect(response.status).to.equal(400);
    expect(JSON.stringify(await response.json())).to.match(/^{"errors":\[{"message":"/);
  });

  describe('the GraphiQL page', () => {
    it('is served to browsers, and takes everything from this server', async () => {
      const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
      const pages = await Promise.all(
        ['/', '/graphiql', '/graphql'].map(async (path) => {
          const response = await fetch(example.url + path, { headers });
          expect(response.headers.get('content-type')).to.match(/^text\/html/);
          return response.text();
        }),
      );
      expect(new Set(pages).size).to.equal(1);
      const [page = ''] = pages;
      const references = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? '');
      expect(references).to.have.length(5);
      for (const url of references.filter((url) => !url.startsWith('data:'))) {
        expect(url).to.match(/^\/graphiql\/files\//);
        const response = await fetch(example.url + url);
        expect(response.status).to.equal(200);
        const text = await response.text();
        expect(text.length).to.be.greaterThan(5_000);
        if (url.endsWith('.css')) expect(text).to.not.match(/url\((?!["']?data:)|@import/);
      }
      expect(page).to.not.match(/https?:/);
    });

    it('comes with queries that work', async () => {
      for (const { query, variables = '{}', headers = '{}' } of tabs) {
        const [given, header] = [JSON.parse(variables), JSON.parse(headers)] as [object, object];
        const answer = await client.ask(query, given as Record<string, unknown>, header);
        expect(answer.errors, query).to.equal(undefined);
      }
    });
  });

  describe('the README', () => {
    it('shows queries that work', async () => {
      const queries = blocksOf('example-graphql/README.md', 'graphql');
      expect(queries).to.have.length(2);
      for (const query of queries) {
        const { errors } = await client.ask(query);
        expect(errors, query).to.equal(undefined);
      }
    });
  });

  it('in production shows neither decisions nor the page nor the schema', async () => {
    const database = embeddedDatabase(cluster);
    const production = await startExample({ database, development: false });
    try {
      const answer = await new Client(production.url).ask('{ post(id: 1) { id } }');
      expect(answer).to.deep.equal({ data: { post: { id: '1' } } });
      const page = await fetch(production.url, { headers: { accept: 'text/html' } });
      expect(page.status).to.equal(404);
      const schema = await new Client(production.url).ask('{ __schema { types { name } } }');
      expect(schema.errors).to.have.length(1);
    } finally {
      await production.stop();
    }
  });

  it('runs on real databases, and changes nothing that is there', async () => {
    const rows = () => cluster.primary.query('SELECT * FROM users ORDER BY id');
    const before = await rows();
    const [replica] = cluster.replicas;
    const database = await openDatabase({
      kind: 'real',
      primaryUrl: cluster.primary.url,
      replicaUrls: [replica?.url ?? ''],
    });
    expect(JSON.stringify(database.nodes)).to.not.include(cluster.primary.password);
    const lines: string[] = [];
    const other = await startExample({ database, log: (line) => lines.push(line) });
    const answer = await new Client(other.url).ask('{ users { total } }');
    await other.stop();
    await database.stop();
    expect(lines).to.include('seed    nothing to do: there are rows already');
    expect(decisionsOf(answer).map(({ node }) => node)).to.deep.equal(['replica1', 'replica1']);
    expect(await rows()).to.deep.equal(before);
    expect(await cluster.primary.query('SELECT 1 AS still_there')).to.have.length(1);
  });

  it('says so when there is no replica to read from', async () => {
    const { url: primaryUrl } = cluster.primary;
    const database = await openDatabase({ kind: 'real', primaryUrl, replicaUrls: [] });
    const lines: string[] = [];
    const other = await startExample({ database, log: (line) => lines.push(line) });
    const answer = await new Client(other.url).ask('{ post(id: 1) { id } }');
    await other.stop();
    expect(lines.join('\n')).to.include('nothing is routed');
    expect(decisionsOf(answer).map(({ node }) => node)).to.deep.equal(['primary']);
  });
});
