import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Client as Connection } from 'pg';
import { untilNothingRemains } from '../testing/support';
import { Client } from './client';
import { Program, foldersOf, remainsOf } from './program';

const node = [process.execPath, '--import', 'tsx', 'example-graphql/main.ts'] as const;

const address = /ready {3}GraphQL {3}(\S+)\/graphql/;

describe('the example as a process', () => {
  const taken = createServer();
  let stuck: Program;
  let refused: Program;
  let misconfigured: Program;

  // Side by side: most of the time goes by in their starting.
  before(async () => {
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    stuck = new Program(node, { REPLICAS: '1', PORT: '0' });
    refused = new Program(node, { PORT: String(takenPort()), REPLICAS: '1' });
    misconfigured = new Program(node, { REPLICA_LAG_MS: 'slow' });
  });

  after(() => {
    taken.close();
    for (const program of [stuck, refused, misconfigured]) program.dispose();
  });

  function takenPort(): number {
    return (taken.address() as AddressInfo).port;
  }

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
