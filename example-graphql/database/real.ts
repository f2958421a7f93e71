import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from 'sequelize';
import { ConfigError, withoutPassword } from '../config';
import { ask, nodeOf } from './ask';
import { checkRoles } from './check';
import type { Database } from './database';

const PATIENCE_MS = 60_000;
const POLL_MS = 50;

/**
 * Databases that are there already.
 * @throws ConfigError when one of them can't be reached, or they are not one primary and its replicas
 */
export async function realDatabase(
  primaryUrl: string,
  replicaUrls: readonly string[],
): Promise<Database> {
  await checkRoles(primaryUrl, replicaUrls);
  const options: Options = { dialect: 'postgres', logging: false, ...nodeOf(primaryUrl) };
  if (replicaUrls.length > 0) {
    options.replication = { write: nodeOf(primaryUrl), read: replicaUrls.map(nodeOf) };
  }
  const replicas = replicaUrls.map((url, index) => ({ name: `replica${index + 1}`, url }));
  return {
    options,
    nodes: [{ name: 'primary', url: primaryUrl }, ...replicas].map(({ name, url }) => ({
      name,
      url: withoutPassword(url),
    })),
    async waitForReplicas() {
      if (replicas.length === 0) return;
      const position = await ask(primaryUrl, 'SELECT pg_current_wal_lsn()::text AS answer');
      await Promise.all(replicas.map(({ name, url }) => waitFor(name, url, String(position))));
    },
    stop: () => Promise.resolve(),
  };
}

async function waitFor(name: string, url: string, position: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  // NULL: nothing replayed yet.
  const sql = 'SELECT coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) AS answer';
  while ((await ask(url, sql, [position])) !== true) {
    if (performance.now() > deadline) {
      throw new ConfigError(
        `${name} (${withoutPassword(url)}) is still behind the primary after ${PATIENCE_MS / 1000} s: does it follow it?`,
      );
    }
    await sleep(POLL_MS);
  }
}
