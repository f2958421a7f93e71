import { ConnectionAcquireTimeoutError } from 'sequelize';
import { TimeoutError } from 'sequelize-pool';
import { LONGEST_TIMER_MS } from '../clock';
import { ReplicasUnavailableError } from '../errors';
import type { NodeConnection } from '../freshness';
import {
  NodePools,
  NoReplicaLeft,
  type Admission,
  type NodePoolsOptions,
  type NodeSpec,
  type PoolSettings,
  type ReadRefusal,
} from '../replicas';
import type { Connection, SequelizeInternals } from './internals';
import { PRIMARY, type Nodes } from './nodes';
import { CombinedView, type PoolView, type ReplicationPool } from './pool-view';
import type { ReadEntry } from './read-entry';
import { Route } from './route';

export { Route } from './route';

/** Private members of Sequelize's connection manager that only this file touches. */
interface PooledConnectionManager {
  pool: ReplicationPool;
  readonly config: {
    readonly pool: PoolSettings & { validate(connection: Connection): boolean };
    readonly replication: { readonly write: ReadEntry };
  };
  _connect(config: ReadEntry): Promise<Connection>;
  _disconnect(connection: Connection): Promise<unknown>;
}

interface PgClient extends Connection {
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>;
  readonly connection: Connection['connection'] & { readonly stream: { destroy(): void } };
}

export interface NodePoolsInstallation {
  readonly pools: NodePools<Connection>;
  /** Makes a pool for a replica that joined {@link Nodes}. Opens nothing. */
  readonly add: (replica: string) => void;
  /** What a node's pool has where its entry says nothing else. */
  readonly poolSettings: PoolSettings;
  /** Gives Sequelize its own pools back; ours close when their last connection is back. Idempotent. */
  readonly remove: () => void;
}

export interface InstallNodePoolsParts {
  readonly nodes: Nodes;
  readonly admit: (node: string, connection: NodeConnection) => Promise<Admission>;
  readonly lost: (node: string) => void;
  /** A replica serves reads; told now and then. */
  readonly inUse?: (node: string) => void;
  /** Whether a replica may serve a read of which nothing is known. */
  readonly serves: (node: string) => boolean;
  readonly options?: NodePoolsOptions;
}

/**
 * Puts one pool a node in the place of Sequelize's two. Each has the size and times of the `pool`
 * option, so up to twice `pool.max` connections go to the primary. Opens nothing.
 *
 * Only for an instance with `replication`.
 *
 * @throws OptionsError when a node's weight is not above zero
 */
export function installNodePools(
  instance: SequelizeInternals,
  parts: InstallNodePoolsParts,
): NodePoolsInstallation {
  const manager = instance.connectionManager as unknown as PooledConnectionManager;
  const replica = (name: string): NodeSpec<Connection>[] => {
    const entry = parts.nodes.entryOf(name);
    return entry ? [specOf(manager, name, 'read', entry)] : [];
  };
  const pools = new NodePools<Connection>({
    primary: specOf(manager, PRIMARY, 'write', manager.config.replication.write),
    replicas: parts.nodes.replicas.flatMap(replica),
    hooks: {
      admit: (node, connection) => parts.admit(node, asked(connection as PgClient)),
      lost: parts.lost,
      ...(parts.inUse && { inUse: parts.inUse }),
    },
    options: parts.options,
  });
  const stock = manager.pool;
  const ours = new ReplicatedPool(pools, stock, parts);
  manager.pool = ours;
  return {
    pools,
    poolSettings: manager.config.pool,
    add: (name) => replica(name).forEach((spec) => pools.add(spec)),
    remove: () =>
      ours.retire(() => {
        if (manager.pool === ours) manager.pool = stock;
      }),
  };
}

/** Our pools in the shape of Sequelize's. */
class ReplicatedPool implements ReplicationPool {
  readonly read: PoolView;
  readonly write: PoolView;
  readonly #pools: NodePools<Connection>;
  readonly #stock: ReplicationPool;
  readonly #nodes: Nodes;
  readonly #serves: (node: string) => boolean;
  #retired: Promise<void> | undefined;

  constructor(
    pools: NodePools<Connection>,
    stock: ReplicationPool,
    { nodes, serves }: InstallNodePoolsParts,
  ) {
    this.#pools = pools;
    this.#stock = stock;
    this.#nodes = nodes;
    this.#serves = serves;
    this.read = new CombinedView(this, 'SELECT', () => pools.readPools());
    this.write = new CombinedView(this, undefined, () => [pools.writePool]);
  }

  /**
   * `useMaster` may be a {@link Route}. Otherwise what Sequelize means by it: a SELECT without it may
   * be served by any replica, everything else by the primary.
   */
  readonly acquire = (queryType?: string, useMaster?: unknown): Promise<Connection> => {
    const anyReplica = queryType === 'SELECT' && !useMaster;
    // Sequelize's own pool object finds its parts through the manager, which leads back here.
    if (this.#retired) return (anyReplica ? this.#stock.read : this.#stock.write).acquire();
    if (useMaster instanceof Route) return this.#serve(useMaster);
    if (!anyReplica) return this.#pools.acquireWrite().catch(inSequelizesWords);
    return this.#serve(Route.toReplica(this.#nodes.replicas, this.#serves));
  };

  release(connection: Connection): void {
    if (!this.#pools.release(connection)) this.#stockPoolOf(connection).release(connection);
  }

  async destroy(connection: Connection): Promise<void> {
    if (await this.#pools.destroy(connection)) return;
    // A connection lost while it was being set up has no pool at all; the stock one passes over it.
    await this.#stockPoolOf(connection).destroy(connection);
  }

  async drain(): Promise<void> {
    const { read, write } = this.#stock;
    await Promise.all([this.#retired ?? this.#pools.drain(), read.drain(), write.drain()]);
  }

  async destroyAllNow(): Promise<void> {
    const { read, write } = this.#stock;
    await Promise.all([this.#pools.destroyAllNow(), read.destroyAllNow(), write.destroyAllNow()]);
  }

  /** From now on connections come from the stock pool; ours are taken back, closed, and then `onEmpty`. */
  retire(onEmpty: () => void): void {
    this.#retired ??= this.#pools
      .drain()
      .then(() => this.#pools.destroyAllNow())
      .then(onEmpty);
  }

  #serve(route: Route): Promise<Connection> {
    if (route.eligible.length === 0) return this.#servedByPrimary(route);
    const acquiring = this.#pools.acquireRead(route);
    // The promise is fulfilled already: as it is, it costs nothing more.
    if (route.node !== undefined) return acquiring;
    return acquiring.catch((error: unknown) => {
      if (!(error instanceof NoReplicaLeft)) return inSequelizesWords(error);
      route.refusals = error.refusals;
      if (route.otherwise === 'error') throw unavailable(error.refusals);
      return this.#servedByPrimary(route);
    });
  }

  #servedByPrimary(route: Route): Promise<Connection> {
    route.node = PRIMARY;
    const fallback = route.fallback || route.eligible.length > 0;
    return this.#pools.acquirePrimaryRead({ fallback }).catch(inSequelizesWords);
  }

  #stockPoolOf(connection: Connection): PoolView {
    return connection.queryType === 'read' ? this.#stock.read : this.#stock.write;
  }
}

function specOf(
  manager: PooledConnectionManager,
  name: string,
  queryType: 'read' | 'write',
  config: ReadEntry,
): NodeSpec<Connection> {
  const { pool } = manager.config;
  return {
    name,
    connect: async (timeoutMs) => {
      // A copy: connecting writes to its config. The driver's own time-out, well behind ours, is
      // there to close the socket.
      const { dialectOptions } = config;
      const connection = await manager._connect({
        ...config,
        ...(timeoutMs !== undefined && {
          dialectOptions: {
            connectionTimeoutMillis: Math.min(2 * timeoutMs, LONGEST_TIMER_MS),
            ...dialectOptions,
          },
        }),
      });
      connection.queryType = queryType;
      return connection;
    },
    disconnect: async (connection) => {
      await manager._disconnect(connection);
    },
    sever: (connection) => (connection as PgClient).connection.stream.destroy(),
    validate: (connection) => pool.validate(connection),
    pool: { ...pool, ...config.pool },
    ...(config.weight !== undefined && { weight: config.weight }),
  };
}

function inSequelizesWords(error: unknown): never {
  throw error instanceof TimeoutError ? new ConnectionAcquireTimeoutError(error) : error;
}

function asked(client: PgClient): NodeConnection {
  return {
    ...(client.processID !== undefined && { processId: client.processID }),
    query: async (sql) => (await client.query(sql)).rows,
  };
}

function unavailable(refusals: readonly ReadRefusal[]): ReplicasUnavailableError {
  const why = refusals.map(({ node, because }) => `${node}: ${because}`).join(', ');
  const cause = refusals.find(({ error }) => error !== undefined)?.error;
  return new ReplicasUnavailableError(
    `no replica could take the read (${why}), and onNoReplica: 'error' keeps it from the primary.`,
    { cause },
  );
}
