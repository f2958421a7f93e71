import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Options } from 'sequelize';
import { ConfigError, withoutPassword } from '../config';
import type { Database } from './database';

const PATIENCE_MS = 60_000;
const POLL_MS = 50;

/**
 * Databases that are there already.
 * @throws ConfigError when one of them can't be reached
 */
export async function realDatabase(
  primaryUrl: string,
  replicaUrls: readonly string[],
): Promise<Database> {
  await Promise.all([primaryUrl, ...replicaUrls].map((url) => ask(url, 'SELECT 1 AS answer')));
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

function nodeOf(text: string) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(text);
  const sslmode = searchParams.get('sslmode') ?? 'disable';
  const ssl = sslmode !== 'disable' && { rejectUnauthorized: sslmode.startsWith('verify') };
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 5432 : Number(port),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    dialectOptions: { ssl },
  };
}

async function waitFor(name: string, url: string, position: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  // NULL: not a standby at all, then there is nothing to wait for.
  const sql = 'SELECT coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, true) AS answer';
  while ((await ask(url, sql, [position])) !== true) {
    if (performance.now() > deadline) {
      throw new ConfigError(
        `${name} (${withoutPassword(url)}) is still behind the primary after ${PATIENCE_MS / 1000} s: does it follow it?`,
      );
    }
    await sleep(POLL_MS);
  }
}

async function ask(url: string, sql: string, values: unknown[] = []): Promise<unknown> {
  const { username: user, dialectOptions, ...node } = nodeOf(url);
  const client = new Client({ ...node, user, ...dialectOptions });
  try {
    await client.connect();
  } catch (error) {
    const reason = (error as { code?: string }).code ?? String(error);
    throw new ConfigError(`can't connect to ${withoutPassword(url)}: ${reason}.`);
  }
  try {
    const { rows } = await client.query<{ answer: unknown }>(sql, values);
    return rows[0]?.answer;
  } finally {
    await client.end();
  }
}
