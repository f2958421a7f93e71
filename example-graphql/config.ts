import { isIP } from 'node:net';

/** The environment says something that can't be: the message is for whoever started the example. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** What the environment says. */
export interface Config {
  /** The address to listen on. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly database: DatabaseConfig;
  /** `observe` leaves every statement where Sequelize's own replication sends it. */
  readonly routing: 'enforce' | 'observe';
  /** Signs session tokens; `undefined`: one for this process alone. */
  readonly sessionSecret: string | undefined;
  /** Shows decisions to clients, and the GraphiQL page. */
  readonly development: boolean;
}

export type DatabaseConfig =
  | { readonly kind: 'embedded'; readonly replicas: number; readonly lagMs: number }
  | { readonly kind: 'real'; readonly primaryUrl: string; readonly replicaUrls: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError on a variable that is not what it should be; its value is echoed. */
export function readConfig(env: Environment): Config {
  return {
    host: address(env, 'HOST', '127.0.0.1'),
    port: wholeNumber(env, 'PORT', 4000, 0, 65_535),
    database: databaseConfig(env),
    routing: oneOf(env, 'FRESH_READS', ['on', 'off']) === 'on' ? 'enforce' : 'observe',
    sessionSecret: env['SESSION_SECRET'] === '' ? undefined : env['SESSION_SECRET'],
    development: env['NODE_ENV'] !== 'production',
  };
}

function databaseConfig(env: Environment): DatabaseConfig {
  const lagMs = wholeNumber(env, 'REPLICA_LAG_MS', 300, 0, 600_000);
  const replicas = wholeNumber(env, 'REPLICAS', 2, 1, 16);
  const primaryUrl = env['DATABASE_URL'] ?? '';
  const listed = env['REPLICA_URLS'] ?? '';
  if (primaryUrl === '') {
    if (listed === '') return { kind: 'embedded', replicas, lagMs };
    throw new ConfigError('REPLICA_URLS needs DATABASE_URL as well: the primary that they follow.');
  }
  const replicaUrls = listed === '' ? [] : listed.split(',').map((url) => url.trim());
  checkUrl('DATABASE_URL', primaryUrl);
  for (const url of replicaUrls) checkUrl('REPLICA_URLS', url);
  return { kind: 'real', primaryUrl, replicaUrls };
}

function address(env: Environment, name: string, byDefault: string): string {
  const text = env[name];
  if (text === undefined || text === '') return byDefault;
  if (isIP(text) === 4) return text;
  throw new ConfigError(
    `${name} must be an IPv4 address such as 127.0.0.1 or 0.0.0.0, got ${JSON.stringify(text)}.`,
  );
}

function wholeNumber(
  env: Environment,
  name: string,
  byDefault: number,
  least: number,
  most: number,
): number {
  const text = env[name];
  if (text === undefined || text === '') return byDefault;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new ConfigError(
    `${name} must be a whole number from ${least} to ${most}, got ${JSON.stringify(text)}.`,
  );
}

function oneOf(env: Environment, name: string, [first, ...others]: [string, ...string[]]): string {
  const text = env[name];
  if (text === undefined || text === '') return first;
  if (text === first || others.includes(text)) return text;
  throw new ConfigError(
    `${name} must be ${[first, ...others].join(' or ')}, got ${JSON.stringify(text)}.`,
  );
}

function checkUrl(name: string, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^postgres(ql)?:$/.test(url.protocol) && url.hostname && url.pathname.length > 1)
    return;
  throw new ConfigError(
    `${name} must be like postgres://user:password@host:5432/database${name === 'REPLICA_URLS' ? ', several with commas between' : ''}, got ${JSON.stringify(withoutPassword(text))}.`,
  );
}

/** A connection URL fit for printing. */
export function withoutPassword(url: string): string {
  return url.replace(/^([^:]*:\/\/[^:@/]*):[^@]*@/, '$1:***@');
}
