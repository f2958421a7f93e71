import { expect } from 'chai';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Sequelize } from 'sequelize';
import { freshReads } from '../../src';
import { freshReadsMiddleware } from '../../src/http';
import { startCluster, type Cluster } from '../../src/testing';
import { Client, serve, type TestServer } from '../support/http';

const SECRET = 'the one thing that two processes share';

interface Counted {
  readonly n: number;
  readonly standby: boolean;
  readonly tokens: { readonly accepted: number; readonly ignored: number };
}

describe('two processes that share a secret', () => {
  let cluster: Cluster;
  let sequelize: Sequelize;
  let here: TestServer;
  let child: ChildProcess;
  let there: string;

  before(async () => {
    cluster = await startCluster({ replicas: 2, lagMs: 500 });
    await cluster.primary.query('CREATE TABLE things (id serial PRIMARY KEY)');
    await cluster.waitForReplicas();
    const options = cluster.sequelizeOptions();
    sequelize = new Sequelize(options);
    const reads = freshReads(sequelize, { sessionSecret: SECRET });
    await reads.ready();
    const middleware = freshReadsMiddleware(reads);
    here = await serve((req, res) =>
      middleware(req, res, () => {
        void sequelize.query('INSERT INTO things DEFAULT VALUES').then(() => res.end('{}'));
      }),
    );
    const plain = JSON.stringify({ ...options, logging: false });
    child = fork(require.resolve('./other-process.ts'), [plain, SECRET], {
      execArgv: ['--import', 'tsx'],
    });
    [there] = (await once(child, 'message')) as [string];
  });
  after(async () => {
    if (child.connected) {
      child.disconnect();
      await once(child, 'exit');
    }
    await here.close();
    await sequelize.close();
    await cluster.stop();
  });

  /** Writes here and reads there, with the cookie in between. */
  async function writeThenRead(written: number): Promise<void> {
    const client = new Client(here.url);
    await client.post('/');
    const { jar } = client;
    const response = await fetch(there, { headers: jar.headers() });
    const counted = (await response.json()) as Counted;
    expect(counted).to.deep.include({ n: written, standby: false });
  }

  it('see each other clients through, with replicas half a second behind', async () => {
    for (let written = 1; written <= 20; written++) await writeThenRead(written);
  });

  it('and with replicas that stand still, where others read the past', async () => {
    await cluster.waitForReplicas();
    for (const replica of cluster.replicas) await replica.pause();
    for (let written = 21; written <= 25; written++) await writeThenRead(written);
    const other = (await (await fetch(there)).json()) as Counted;
    expect(other).to.deep.include({ n: 20, standby: true });
    expect(other.tokens).to.deep.include({ accepted: 25, ignored: 0 });
    for (const replica of cluster.replicas) await replica.resume();
  });
});
