import type { ConnectionOptions } from 'sequelize';
import { OptionsError, echo } from '../errors';
import type { PoolSettings } from '../replicas';
import { isRecord, rejectUnknownKeys } from '../validate';

declare module 'sequelize/types/sequelize' {
  interface ConnectionOptions {
    /**
     * Of an entry of `read`: the replica's name in decisions and in `status()`. Default: `replica`
     * and a number, by its place in the list.
     */
    name?: string;
    /** Of an entry of `read`: its share of the reads beside other replicas, above 0. Default 1. */
    weight?: number;
    /** Sizes and times of the node's own pool (milliseconds), over those of the `pool` option. */
    pool?: Partial<PoolSettings>;
    /** For the driver (TLS, for example). Default: the `dialectOptions` of the instance. */
    dialectOptions?: object;
  }
}

/** An entry of `replication` as this package reads it. */
export type ReadEntry = Readonly<ConnectionOptions>;

/**
 * A replica as an entry of Sequelize's `replication.read` describes it. What is left out is
 * inherited from the instance, as Sequelize does it for its own entries. Without a `name` it is
 * called `replica` and the next number that no node in use has.
 */
export type ReplicaConfig = ReadEntry;

const WHERE = 'addReplica(config)';
const LEAST = { max: 1, min: 0, idle: 0, acquire: 0, evict: 0, maxUses: 1 };

/**
 * The same as an entry, once it is known to be one.
 *
 * @param inherited the `pool` option of the instance
 * @throws OptionsError for what can't be an entry; no password is echoed
 */
export function readEntryOf(given: unknown, inherited: PoolSettings): ReadEntry {
  if (!isRecord(given)) {
    throw new OptionsError(
      `${WHERE}: config must be an entry as in replication.read, such as { host: 'replica-c' }, ` +
        `got ${echo(given)}.`,
    );
  }
  const { host, port, name, weight, pool, dialectOptions } = given;
  if (host === undefined && port === undefined) {
    throw new OptionsError(
      `${WHERE}: config names no node, it must have a host, a port, or both, got ${echo(given)}.`,
    );
  }
  if (host !== undefined && !(typeof host === 'string' && /^[^\s@]+$/.test(host) && !isUrl(host))) {
    fail('host', 'a host name or an address, not a URL', host);
  }
  if (port !== undefined && !isPort(port)) fail('port', 'a whole number from 1 to 65535', port);
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    fail('name', 'a text that is not empty', name);
  }
  if (weight !== undefined && !isAbove0(weight)) fail('weight', 'a number above 0', weight);
  if (dialectOptions !== undefined && !isRecord(dialectOptions)) {
    fail('dialectOptions', 'an object', dialectOptions);
  }
  if (pool !== undefined) checkPool(pool, inherited);
  return given;
}

function checkPool(pool: unknown, inherited: PoolSettings): void {
  if (!isRecord(pool)) return fail('pool', 'an object such as { max: 20 }', pool);
  rejectUnknownKeys(`${WHERE}: pool`, pool, Object.keys(LEAST));
  for (const [key, least] of Object.entries(LEAST)) {
    const value = pool[key];
    if (value === undefined) continue;
    if (!Number.isInteger(value) || (value as number) < least) {
      fail(`pool.${key}`, `a whole number from ${least} up`, value);
    }
  }
  const { min, max } = { ...inherited, ...pool };
  if (min > max) fail('pool.min', `at most pool.max (${max})`, min);
}

function fail(name: string, rule: string, value: unknown): never {
  throw new OptionsError(`${WHERE}: ${name} must be ${rule}, got ${echo(value)}.`);
}

function isUrl(text: string): boolean {
  return text.includes('://');
}

function isPort(value: unknown): boolean {
  const port = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isInteger(port) && (port as number) >= 1 && (port as number) <= 65_535;
}

function isAbove0(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < Infinity;
}
