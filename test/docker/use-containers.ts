import { shareCluster, sharedCluster } from '../support/shared-cluster';
import { startContainers } from './container-cluster';

shareCluster(startContainers);

export const mochaHooks = {
  async beforeAll(this: Mocha.Context): Promise<void> {
    // An image may have to be pulled first.
    this.timeout(300_000);
    await sharedCluster();
  },
};
