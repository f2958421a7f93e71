import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Client as Connection } from 'pg';
import { untilNothingRemains } from '../testing/support';
import { Client, at, decisionsOf } from './client';
import { Program, foldersOf, remainsOf } from './program';
import { startCommands } from './readme';

type Command = readonly [string, ...string[]];

const npm: Command = ['npm', 'run', '--silent', 'example'];
const node: Command = [process.execPath, '--import', 'tsx', 'example-graphql/main.ts'];

const address = /ready {3}GraphQL {3}(\S+)\/graphql/;

describe('the example as a process', function () {
  this.timeout(60_000);
  const taken = createServer();
  let plain: Program;
  let stale: Program;
  let stuck: Program;
  let refused: Program;
  let misconfigured: Program;

  // Side by side: most of the time goes by in their starting. Their settings are those of the README.
  before(async () => {
    const [byDefault, off, threeReplicas] = startCommands();
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    plain = new Program(npm, { ...byDefault, PORT: '0' });
    stuck = new Program(node, { ...threeReplicas, PORT: '0' });
    // A lag that no machine is too slow to notice.
    const lag = { REPLICAS: '1', REPLICA_LAG_MS: '2000' };
    stale = new Program(node, { ...off, PORT: '0', ...lag });
    refused = new Program(node, { PORT: String(takenPort()), REPLICAS: '1' });
    misconfigured = new Program(node, { REPLICA_LAG_MS: 'slow' });
  });

  after(() => {
    taken.close();
    for (const program of [plain, stale, stuck, refused, misconfigured]) program.dispose();
  });

  function takenPort(): number {
    return (taken.address() as AddressInfo).port;
  }

  it('npm run example: serves, and Ctrl-C leaves no process and no folder', async () => {
    const remains = await remainsOf(plain);
    expect(remains.pids).to.have.length(3);
    const answer = await new Client(await plain.printed(address)).ask('{ users { total } }');
    expect(at(answer.data, 'users.total')).to.equal(400);
    for (const { target } of decisionsOf(answer)) expect(target).to.equal('replica');
    await serveFromOutside(plain);
    plain.interrupt();
    expect(await plain.end()).to.equal(0);
    expect(plain.err).to.equal('');
    expect(plain.out).to.match(/\nstopped\n$/);
    await untilNothingRemains(remains);
    expect(() => process.kill(-plain.pid, 0)).to.throw('ESRCH');
  });

  it('FRESH_READS=off serves stale answers; SIGTERM stops it as well', async () => {
    const remains = await remainsOf(stale);
    const client = new Client(await stale.printed(address));
    const answer = await client.ask(
      'mutation { createPost(input: { title: "Late", authorId: 1 }) { author { posts { title } } } }',
    );
    expect(at(answer.data, 'createPost.author.posts.*.title')).to.not.include('Late');
    stale.terminate();
    expect(await stale.end()).to.equal(0);
    await untilNothingRemains(remains);
  });

  it('a second Ctrl-C ends it at once', async () => {
    const remains = await remainsOf(stuck);
    const locker = new Connection(/^node {4}primary {2}(\S+)$/m.exec(stuck.out)?.[1]);
    // The server that ends takes this connection with it.
    locker.on('error', () => undefined);
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('LOCK TABLE users');
    const held = new Client(await stuck.printed(address))
      .ask('mutation { createUser(input: { handle: "held", name: "Held" }) { id } }')
      .catch(() => undefined);
    await untilBlocked(locker);
    stuck.interrupt();
    await stuck.printed(/stopping/);
    // Signals within half a second are one Ctrl-C, passed on by npm.
    const ended = stuck.end();
    while ((await Promise.race([ended, pause(100)])) === undefined) stuck.interrupt();
    expect(await ended).to.equal(130);
    await held;
    await untilNothingRemains(remains);
  });

  it('a port in use: a line that says so, and no cluster left', async () => {
    expect(await refused.end()).to.equal(1);
    expect(refused.err).to.equal(
      `error   port ${takenPort()} is in use: choose another with PORT, or any free one with PORT=0.\n`,
    );
    expect(foldersOf(refused.pid)).to.deep.equal([]);
  });

  it('a bad setting: a line that says so, without a trace', async () => {
    expect(await misconfigured.end()).to.equal(1);
    expect(misconfigured.err).to.equal(
      'error   REPLICA_LAG_MS must be a whole number from 0 to 600000, got "slow".\n',
    );
    expect(misconfigured.out).to.equal('');
  });
});

/** The README's command for real databases, on those of another program. */
async function serveFromOutside({ out }: Program): Promise<void> {
  const [primary = '', ...replicas] = [...out.matchAll(/^node {4}\w+ {2}(\S+)$/gm)].map(
    ([, url]) => url ?? '',
  );
  const [, , , real] = startCommands();
  expect(real?.['REPLICA_URLS']?.split(',')).to.have.length(replicas.length);
  const there = { DATABASE_URL: primary, REPLICA_URLS: replicas.join() };
  const program = new Program(node, { ...real, ...there, PORT: '0' });
  try {
    const answer = await new Client(await program.printed(address)).ask('{ users { total } }');
    expect(at(answer.data, 'users.total')).to.equal(400);
    program.interrupt();
    expect(await program.end()).to.equal(0);
    expect(program.out).to.include('nothing to do: there are rows already');
    expect(program.out + program.err).to.not.include(new URL(primary).password);
  } finally {
    program.dispose();
  }
}

/** Resolves once a statement waits for the lock that `connection` holds. */
async function untilBlocked(connection: Connection): Promise<void> {
  for (;;) {
    const { rows } = await connection.query(
      `SELECT FROM pg_locks WHERE relation = 'users'::regclass AND NOT granted`,
    );
    if (rows.length > 0) return;
    await pause(20);
  }
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined));
}
