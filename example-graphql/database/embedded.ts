import type { Cluster } from 'sequelize-fresh-reads/testing';
import type { Database } from './database';

/** A cluster from npm binaries, gone when the example ends. */
export function embeddedDatabase(cluster: Cluster): Database {
  return {
    options: cluster.sequelizeOptions(),
    nodes: [cluster.primary, ...cluster.replicas].map(({ name, url }) => ({ name, url })),
    waitForReplicas: () => cluster.waitForReplicas(),
    stop: () => cluster.stop(),
  };
}
