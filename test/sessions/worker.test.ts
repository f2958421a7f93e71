import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'chai';
import type { Options } from 'sequelize';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { Site } from './support';
import type { Job, Result } from './worker';

describe('a job for another process', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial)',
      'CREATE TABLE posts (id serial)',
    );
    await database.pauseReplicas();
  });
  after(() => database.close());

  async function run(token: string | undefined): Promise<Result> {
    const { sequelizeOptions } = database.cluster;
    const base = sequelizeOptions.call(database.cluster);
    const here = <Node extends object>(node: Node) => ({ ...node, database: database.name });
    const { write, read } = base.replication;
    const options: Options = {
      ...base,
      database: database.name,
      replication: { write: here(write), read: read.map(here) },
    };
    const worker = fork(path.join(__dirname, 'worker.ts'), {
      execArgv: ['--import', 'tsx'],
    });
    const job: Job = { options, token };
    worker.send(job);
    const [result] = (await once(worker, 'message')) as [Result];
    await once(worker, 'exit');
    return result;
  }

  it('sees what was written before it was queued, if it brings a token', async () => {
    const site = await Site.open(database);
    const token = await site.tokenAfter('users');
    expect(await run(token)).to.deep.equal({
      users: 1,
      decisions: ['primary table-written', 'replica tables-untouched'],
    });
    expect(await run(undefined)).to.deep.equal({
      users: 0,
      decisions: ['replica no-live-writes', 'replica no-live-writes'],
    });
  });
});
