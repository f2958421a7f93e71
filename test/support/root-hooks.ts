import { keepDataInMemory } from './data-in-memory';
import { stopSharedCluster } from './shared-cluster';

keepDataInMemory();

export const mochaHooks = {
  async afterAll(): Promise<void> {
    // Run after each file by the workers of a parallel run, which end together with their cluster.
    if (process.env['MOCHA_WORKER_ID'] !== undefined) return;
    await stopSharedCluster();
  },
};
