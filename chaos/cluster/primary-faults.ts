import { setTimeout as pause } from 'node:timers/promises';
import { despiteConflicts } from './conflict';
import { APPLICATION } from './ground';
import type { Deed } from './replica-faults';

/** Faults of the primary: errors are excused while they last, staleness and loss are not. */
export const PRIMARY_DEEDS: readonly Deed[] = [
  {
    ...{ what: 'terminate', weight: 2 },
    async run(ground, _standby, _random, told) {
      told('all connections terminated');
      await ground.primary.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
        [APPLICATION],
      );
    },
  },
  {
    ...{ what: 'partition', weight: 2 },
    async run(ground, _standby, random, told) {
      told('nothing passes');
      ground.primaryProxy.stall();
      await pause(random.between(200, 1000));
      ground.primaryProxy.flow();
    },
  },
  {
    ...{ what: 'drop', weight: 1 },
    run(ground, _standby, _random, told) {
      told('connections dropped');
      ground.primaryProxy.dropAll();
      return Promise.resolve();
    },
  },
  {
    ...{ what: 'freeze', weight: 1 },
    async run(ground, _standby, random, told) {
      told('frozen');
      await ground.primary.freeze();
      await pause(random.between(200, 800));
      await ground.primary.thaw();
    },
  },
  {
    ...{ what: 'kill', weight: 2 },
    async run(ground, _standby, random, told) {
      told('killed, and started again');
      await ground.primary.kill();
      await pause(random.between(100, 500));
      await ground.primary.start();
    },
  },
];

/**
 * Another node becomes the primary. Replication is asynchronous, so a failover may lose commits, and
 * no router can help that: here the old primary is cut off first, and the new one has caught up.
 */
export const FAILOVER: Deed = {
  ...{ what: 'failover', weight: 1 },
  fits: (ground, { node }) =>
    !node.promoted && node.running && !node.frozen && ground.primary === ground.cluster.primary,
  async run(ground, standby, _random, told) {
    told(`failover to ${standby.node.name}`);
    ground.primaryProxy.refusing = true;
    try {
      ground.primaryProxy.dropAll();
      await ground.quiet();
      await despiteConflicts(() => standby.node.setLag(0));
      await despiteConflicts(() => standby.node.resume());
      await ground.caughtUp(standby);
      await ground.primary.kill();
      await ground.takeOver(standby);
    } finally {
      ground.primaryProxy.refusing = false;
    }
  },
};
