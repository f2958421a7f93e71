import type { Client } from 'pg';
import { ClusterError } from '../errors';
import { withClient } from './client';
import { ClusterNode, type Access } from './node';
import { checkLag } from './options';
import { until } from './poll';
import type { Server } from './server';

/** A streaming standby of the cluster's primary. */
export class ReplicaNode extends ClusterNode {
  #paused = false;
  #promoted = false;

  /** @internal */
  constructor(
    name: string,
    port: number,
    access: Access,
    server: Server,
    private readonly primary: ClusterNode,
  ) {
    super(name, port, access, server);
  }

  /** Whether replay was paused by {@link pause}. */
  get paused(): boolean {
    return this.#paused && this.running;
  }

  /** Whether {@link promote} made it a primary of its own. */
  get promoted(): boolean {
    return this.#promoted;
  }

  /**
   * Starts a stopped or killed replica on its old port, replaying (a pause does not survive a
   * restart). Resolves once it accepts connections and streams from the primary; without the
   * streaming when the primary is down, or while an old commit is still held back by the lag:
   * a standby asks for more only after that one.
   */
  override start(): Promise<void> {
    return this.inTurn(async () => {
      if (this.running) return;
      this.#paused = false;
      await this.startServer();
      if (this.#promoted) return;
      await withClient(this, (client) =>
        until(`${this.name} streams`, async () => {
          if (!this.primary.running || this.primary.frozen) return true;
          return is(
            client,
            `SELECT EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')
                 OR EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'RecoveryApplyDelay')`,
          );
        }),
      );
    });
  }

  /**
   * Sets how long this replica holds commits back, in milliseconds; it stays so over restarts.
   * Resolves once the server has taken the new value.
   * @throws OptionsError unless it is a whole number of milliseconds, 0 or more.
   * @throws ClusterError when the replica is stopped, frozen or promoted.
   */
  async setLag(ms: number): Promise<void> {
    checkLag(`the lag of ${this.name}`, ms);
    await this.#onStandby(async (client) => {
      await client.query(`ALTER SYSTEM SET recovery_min_apply_delay = ${ms}`);
      await client.query('SELECT pg_reload_conf()');
      await until(`${this.name} has a lag of ${ms} ms`, () =>
        is(
          client,
          `SELECT setting::int = ${ms} FROM pg_settings WHERE name = 'recovery_min_apply_delay'`,
        ),
      );
    });
  }

  /**
   * Stops replay: from here on the replica answers with what it has. Resolves once nothing more
   * is applied.
   * @throws ClusterError when the replica is stopped, frozen or promoted.
   */
  pause(): Promise<void> {
    return this.#onStandby(async (client) => {
      await client.query('SELECT pg_wal_replay_pause()');
      this.#paused = true;
      await until(`${this.name} has paused`, () =>
        is(client, `SELECT pg_get_wal_replay_pause_state() = 'paused'`),
      );
    });
  }

  /**
   * Lets replay go on after {@link pause}.
   * @throws ClusterError when the replica is stopped, frozen or promoted.
   */
  resume(): Promise<void> {
    return this.#onStandby(async (client) => {
      await client.query('SELECT pg_wal_replay_resume()');
      this.#paused = false;
      await until(`${this.name} has resumed`, () =>
        is(client, `SELECT pg_get_wal_replay_pause_state() = 'not paused'`),
      );
    });
  }

  /**
   * Makes this replica a primary of its own, on a new timeline; the others keep following the old
   * one. Resolves once it takes writes.
   * @throws ClusterError when the replica is stopped, frozen or promoted already.
   */
  promote(): Promise<void> {
    return this.#onStandby(async (client) => {
      // An earlier call may have lost its connection half way.
      if (await is(client, 'SELECT pg_is_in_recovery()')) {
        await client.query('SELECT pg_promote(wait => false)');
      }
      await until(`${this.name} is promoted`, () => is(client, 'SELECT NOT pg_is_in_recovery()'));
      this.#promoted = true;
      this.#paused = false;
    });
  }

  #onStandby(task: (client: Client) => Promise<void>): Promise<void> {
    return this.inTurn(async () => {
      this.assertAnswers();
      if (this.#promoted) {
        throw new ClusterError(`${this.name} was promoted: it is no standby any more`);
      }
      await withClient(this, task);
    });
  }
}

/** Asks a query that gives one row with one boolean. */
async function is(client: Client, sql: string): Promise<boolean> {
  const { rows } = await client.query<[boolean]>({ text: sql, rowMode: 'array' });
  return rows[0]?.[0] === true;
}
