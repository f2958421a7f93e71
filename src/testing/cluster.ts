import { ClusterError } from '../errors';
import { withClient } from './client';
import type { ClusterFolder } from './folder';
import type { ClusterNode } from './node';
import { checkTimeout } from './options';
import { patienceMs, until } from './poll';
import type { ReplicaNode } from './replica';

interface NodeOptions {
  name: string;
  host: string;
  port: number;
  database: string;
  username: string;
  password: string;
}

/** Options for `new Sequelize(...)`: writes to the primary, reads from the replicas. */
export interface ClusterSequelizeOptions {
  dialect: 'postgres';
  logging: false;
  database: string;
  username: string;
  password: string;
  replication: { write: NodeOptions; read: NodeOptions[] };
}

/** A running primary with its streaming standbys. */
export class Cluster {
  #stopped: Promise<void> | undefined;

  /** @internal */
  constructor(
    readonly primary: ClusterNode,
    readonly replicas: readonly ReplicaNode[],
    private readonly folder: ClusterFolder,
  ) {}

  /** New options for `new Sequelize(...)`, without any pool setting. */
  sequelizeOptions(): ClusterSequelizeOptions {
    const { database, user: username, password } = this.primary;
    const connectionTo = ({ name, host, port }: ClusterNode) => ({
      name,
      host,
      port,
      database,
      username,
      password,
    });
    return {
      dialect: 'postgres',
      logging: false,
      database,
      username,
      password,
      replication: {
        write: connectionTo(this.primary),
        read: this.replicas.map(connectionTo),
      },
    };
  }

  /**
   * Resolves once every replica has applied everything that is committed on the primary now.
   * Replicas that are stopped, frozen, paused or promoted are left out.
   * @param options.timeoutMs how long to wait, in milliseconds. Default 60000.
   * @throws ClusterError when a replica is not there in time, or the primary is stopped or frozen.
   * @throws OptionsError when `timeoutMs` is not a number of milliseconds.
   */
  async waitForReplicas({ timeoutMs = patienceMs }: { timeoutMs?: number } = {}): Promise<void> {
    checkTimeout(timeoutMs);
    const position = await flushedPosition(this.primary);
    await Promise.all(
      this.replicas.filter(isFollowing).map((replica) =>
        withClient(replica, (client) =>
          until(
            `${replica.name} has replayed up to ${position}`,
            async () => {
              if (!isFollowing(replica)) return true;
              const { rows } = await client.query<{ reached: boolean }>(
                'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached',
                [position],
              );
              return rows[0]?.reached === true;
            },
            timeoutMs,
          ),
        ),
      ),
    );
  }

  /** Ends all nodes and removes their files. Resolves once both are gone; calling it again is fine. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    const nodes = [...this.replicas, this.primary];
    await Promise.allSettled(nodes.map((node) => node.end()));
    await this.folder.remove();
  }
}

function isFollowing(replica: ReplicaNode): boolean {
  return replica.running && !replica.frozen && !replica.paused && !replica.promoted;
}

/**
 * A position of the primary's WAL behind everything committed so far, and known to be on its disk:
 * a record of our own, flushed by its commit. The insert position alone may lie in WAL that no
 * standby is sent before somebody else commits.
 */
async function flushedPosition(primary: ClusterNode): Promise<string> {
  return withClient(primary, async (client) => {
    await client.query('BEGIN');
    await client.query('SET LOCAL synchronous_commit = local');
    const { rows } = await client.query<{ position: string }>(
      `SELECT pg_logical_emit_message(true, 'fresh-reads', 'position') AS position`,
    );
    await client.query('COMMIT');
    const position = rows[0]?.position;
    if (position === undefined) throw new ClusterError('the primary gave no WAL position');
    return position;
  });
}
