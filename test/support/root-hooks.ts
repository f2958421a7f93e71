import { stopSharedCluster } from './shared-cluster';

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(60_000);
    await stopSharedCluster();
  },
};
