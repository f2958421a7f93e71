import { Sequelize, type Options } from 'sequelize';
import { Site } from './support';

/** What a queue hands to a worker: the options stand for the worker's own configuration. */
export interface Job {
  readonly options: Options;
  readonly token: string | undefined;
}

export interface Result {
  readonly users: number;
  readonly decisions: readonly string[];
}

async function work({ options, token }: Job): Promise<Result> {
  const site = await Site.open({ connect: () => new Sequelize(options) });
  try {
    return await site.reads.runOperation({ name: 'mail', kind: 'job', token }, async () => ({
      users: await site.count('users'),
      decisions: await site.readsOf('users', 'posts'),
    }));
  } finally {
    await site.sequelize.close();
  }
}

process.once('message', (job: Job) => {
  void work(job).then((result) => process.send?.(result, () => process.disconnect()));
});
