import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../../src/testing/ports';
import { until } from '../../src/testing/poll';
import { Client, at, decisionsOf } from '../example/client';
import { composeCommand } from './engine';

const run = promisify(execFile);
const root = path.join(__dirname, '../..');

describe('docker-compose.yml', () => {
  let client: Client;
  let env: Record<string, string | undefined>;

  async function compose(...args: string[]): Promise<string> {
    const [program, ...first] = composeCommand();
    const { stdout } = await run(program, [...first, ...args], { cwd: root, env });
    return stdout;
  }

  before(async function () {
    this.timeout(300_000);
    const port = await freePort();
    env = {
      ...process.env,
      COMPOSE_PROJECT_NAME: `fresh-reads-${randomBytes(4).toString('hex')}`,
      POSTGRES_PASSWORD: randomBytes(16).toString('hex'),
      EXAMPLE_PORT: String(port),
    };
    client = new Client(`http://127.0.0.1:${port}`);
    await compose('up', '-d');
    await until(
      () => 'the example answers',
      () =>
        client.ask('{ __typename }').then(
          () => true,
          () => false,
        ),
      120_000,
    );
  });

  after(async function () {
    this.timeout(120_000);
    await compose('down', '--volumes', '--timeout', '5');
  });

  it('needs a password from outside, and says so', async () => {
    const { POSTGRES_PASSWORD, ...without } = env;
    expect(POSTGRES_PASSWORD).to.be.a('string');
    const [program, ...first] = composeCommand();
    const failure = await run(program, [...first, 'config'], { cwd: root, env: without }).catch(
      (error: unknown) => error as { stderr: string },
    );
    expect(failure.stderr).to.match(/POSTGRES_PASSWORD.*see the head of docker-compose\.yml/s);
  });

  it('reads from both replicas, and after a write from where it is', async () => {
    const nodes = new Set<string>();
    for (let asked = 0; asked < 10; asked++) {
      const answer = await client.ask('{ posts(limit: 3) { total items { author { name } } } }');
      expect(answer.errors).to.equal(undefined);
      for (const { node } of decisionsOf(answer)) nodes.add(node);
    }
    expect([...nodes].sort()).to.deep.equal(['replica1', 'replica2']);

    const before = await client.ask('{ post(id: 1) { commentCount } }');
    const count = at(before.data, 'post.commentCount') as number;
    const answer = await client.ask(`mutation {
      addComment(input: { postId: 1, authorId: 2, body: "By container." }) {
        post { title commentCount }
      }
    }`);
    expect(at(answer.data, 'addComment.post.commentCount')).to.equal(count + 1);
    // The second one is two seconds behind on purpose.
    const reads = decisionsOf(answer).filter(({ resolver }) => resolver === 'Post.commentCount');
    for (const { node } of reads) expect(node).to.be.oneOf(['primary', 'replica1']);
    expect(reads).to.have.length(1);
  });
});
