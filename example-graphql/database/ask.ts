import { Client } from 'pg';
import { ConfigError, withoutPassword } from '../config';

/** The parts of a connection URL, as Sequelize takes them for one node. */
export function nodeOf(text: string) {
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

// A host that swallows packets would otherwise keep us for minutes.
const CONNECT_MS = 10_000;

/**
 * Asks one query on a connection of its own.
 * @returns the column `answer` of its first row
 * @throws ConfigError when the database can't be reached
 */
export async function ask(url: string, sql: string, values: unknown[] = []): Promise<unknown> {
  const { username: user, dialectOptions, ...node } = nodeOf(url);
  const timeout = { connectionTimeoutMillis: CONNECT_MS };
  const client = new Client({ ...node, user, ...dialectOptions, ...timeout });
  // A server that goes away meanwhile fails the query as well, which is where it is reported.
  client.on('error', () => undefined);
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
