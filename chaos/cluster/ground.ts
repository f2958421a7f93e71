import { Client } from 'pg';
import { despiteConflicts } from './conflict';
import type { Options } from 'sequelize';
import { startCluster, type Cluster, type ClusterNode, type ReplicaNode } from '../../src/testing';
import { TcpProxy } from '../../test/support/tcp-proxy';
import { PRIMARY, type Register, type Seen } from '../history';
import { FINAL_STATE, SCHEMA, rowsFor } from '../clients/schema';

const POOL = { max: 8, min: 0, acquire: 15_000, idle: 5000, evict: 1000 };
/** How long replay waits for reads that are in its way, from a record's arrival, in milliseconds. */
const CONFLICT_MS = 500;

/** A replica, and the network in front of it. */
export interface Standby {
  readonly node: ReplicaNode;
  /** The name and the way that applications have; none for one that waits to take over a name. */
  readonly proxy: TcpProxy | undefined;
}

/** A cluster with a network that can break: applications reach every node through a proxy. */
export class Ground {
  /** Changes at a failover. */
  primary: ClusterNode;
  readonly standbys: readonly Standby[];

  private constructor(
    readonly cluster: Cluster,
    readonly primaryProxy: TcpProxy,
    standbys: readonly Standby[],
  ) {
    this.primary = cluster.primary;
    this.standbys = standbys;
  }

  /**
   * @param replicas how many standbys; with three or more the last one is under no name at first
   * @param ids the rows that every table has
   */
  static async start(replicas: number, ids: readonly number[]): Promise<Ground> {
    const cluster = await startCluster({
      replicas,
      settings: { max_connections: 200, max_standby_streaming_delay: CONFLICT_MS },
    });
    try {
      const sql = [...SCHEMA, ...rowsFor(ids)].join(';\n');
      await cluster.primary.query(sql);
      await cluster.waitForReplicas();
      const named = replicas >= 3 ? replicas - 1 : replicas;
      const standbys = await Promise.all(
        cluster.replicas.map(async (node, index) => ({
          node,
          proxy: index < named ? await TcpProxy.start(node.port) : undefined,
        })),
      );
      return new Ground(cluster, await TcpProxy.start(cluster.primary.port), standbys);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** The options of Sequelize for an application. */
  options(): Options {
    const base = this.cluster.sequelizeOptions();
    const { write, read } = base.replication;
    const ports = this.standbys.flatMap(({ proxy }) => (proxy ? [proxy.port] : []));
    return {
      ...base,
      replication: {
        write: { ...write, port: this.primaryProxy.port },
        read: ports.flatMap((port, index) => {
          const node = read[index];
          return node ? [{ ...node, port }] : [];
        }),
      },
      pool: POOL,
      dialectOptions: { application_name: APPLICATION },
    };
  }

  /** Names of the nodes by the ports that applications see. */
  names(): Record<number, string> {
    const names: Record<number, string> = { [this.primaryProxy.port]: PRIMARY };
    for (const { node, proxy } of this.standbys) if (proxy) names[proxy.port] = node.name;
    return names;
  }

  /** Where the primary is reached, as a URL. */
  primaryUrl(): string {
    const url = new URL(this.cluster.primary.url);
    url.port = String(this.primaryProxy.port);
    return url.href;
  }

  /** Makes a standby the primary, and the others follow it. It must show all that was committed. */
  async takeOver({ node }: Standby): Promise<void> {
    await despiteConflicts(() => node.promote());
    this.primary = node;
    this.primaryProxy.target = node.port;
    const { user, password, port } = node;
    for (const other of this.standbys) {
      if (other.node === node || other.node.promoted || !answers(other.node)) continue;
      const info = `host=127.0.0.1 port=${port} user=${user} password=${password} application_name=${other.node.name}`;
      await other.node.query(`ALTER SYSTEM SET primary_conninfo = '${info}'`);
      await other.node.query('SELECT pg_reload_conf()');
    }
  }

  /** Resolves once a standby has replayed everything that was committed. */
  async caughtUp({ node }: Standby): Promise<void> {
    // A commit of its own takes everything before it to the disk.
    await this.primary.query(`SELECT pg_logical_emit_message(true, 'chaos', '')`);
    const [row] = await this.primary.query('SELECT pg_current_wal_flush_lsn() AS position');
    const sql = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached';
    let reached: unknown = false;
    while (reached !== true) {
      await despiteConflicts(async () => {
        const [answer] = await node.query(sql, [row?.['position']]);
        reached = answer?.['reached'];
      });
    }
  }

  /** Resolves once no server process works for an application any more. */
  async quiet(): Promise<void> {
    const sql = `SELECT count(*)::int AS busy FROM pg_stat_activity WHERE application_name = '${APPLICATION}'`;
    while ((await this.primary.query(sql))[0]?.['busy'] !== 0);
  }

  /** Everything runs again, and every way is open. */
  async heal(): Promise<void> {
    for (const proxy of this.#proxies()) {
      proxy.refusing = false;
      proxy.flow();
    }
    // A primary that was replaced stays away.
    for (const node of [this.primary, ...this.standbys.map((standby) => standby.node)]) {
      await node.thaw();
      await node.start();
    }
    for (const { node } of this.standbys) if (!node.promoted) await resumeAnyway(node);
  }

  /** What the primary holds. */
  async finalState(): Promise<Record<Register, Seen>> {
    const client = new Client({ connectionString: this.primary.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ register: string; version: number; rows: number }>(
        FINAL_STATE,
      );
      return Object.fromEntries(
        rows.map(({ register, version, rows: count }) => [register, count > 1 ? 'torn' : version]),
      );
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    for (const proxy of this.#proxies()) await proxy.stop();
    await this.cluster.stop();
  }

  #proxies(): TcpProxy[] {
    return [this.primaryProxy, ...this.standbys.flatMap(({ proxy }) => proxy ?? [])];
  }
}

/** The name that server processes of applications carry. */
export const APPLICATION = 'chaos';

/** Replay cancels what is in its way, our own look at whether it goes on too; by then it does. */
async function resumeAnyway(node: ReplicaNode): Promise<void> {
  try {
    await node.resume();
  } catch (error) {
    if ((error as { code?: unknown }).code !== '40001') throw error;
    await node.resume();
  }
}

function answers(node: ClusterNode): boolean {
  return node.running && !node.frozen;
}
