import { startCluster } from 'sequelize-fresh-reads/testing';
import type { DatabaseConfig } from '../config';
import type { Database } from './database';
import { embeddedDatabase } from './embedded';
import { realDatabase } from './real';

/** The databases that the environment asked for. */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'real') return realDatabase(config.primaryUrl, config.replicaUrls);
  const { replicas, lagMs } = config;
  return embeddedDatabase(await startCluster({ replicas, lagMs }));
}
