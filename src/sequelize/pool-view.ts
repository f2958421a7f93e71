import type { NodePool } from '../replicas';
import type { Connection } from './internals';

/** What each of Sequelize's two pools looks like from outside. */
export interface PoolView {
  readonly size: number;
  readonly available: number;
  readonly using: number;
  readonly waiting: number;
  readonly maxSize: number;
  readonly minSize: number;
  acquire(): Promise<Connection>;
  release(connection: Connection): void;
  destroy(connection: Connection): Promise<void>;
  drain(): Promise<void>;
  destroyAllNow(): Promise<void>;
}

/** What it has in `connectionManager.pool` under replication. */
export interface ReplicationPool {
  acquire: (queryType?: string, useMaster?: unknown) => Promise<Connection>;
  release(connection: Connection): void;
  destroy(connection: Connection): unknown;
  drain(): Promise<unknown>;
  destroyAllNow(): Promise<unknown>;
  readonly read: PoolView;
  readonly write: PoolView;
}

/** For tools that look at `pool.read` and `pool.write`. */
export class CombinedView implements PoolView {
  readonly #whole: ReplicationPool;
  readonly #queryType: 'SELECT' | undefined;
  readonly #parts: () => readonly NodePool<Connection>[];

  constructor(
    whole: ReplicationPool,
    queryType: 'SELECT' | undefined,
    parts: () => readonly NodePool<Connection>[],
  ) {
    this.#whole = whole;
    this.#queryType = queryType;
    this.#parts = parts;
  }

  get size(): number {
    return this.#sum((pool) => pool.size);
  }

  get available(): number {
    return this.#sum((pool) => pool.available);
  }

  get using(): number {
    return this.#sum((pool) => pool.using);
  }

  get waiting(): number {
    return this.#sum((pool) => pool.waiting);
  }

  get maxSize(): number {
    return this.#sum((pool) => pool.maxSize);
  }

  get minSize(): number {
    return this.#sum((pool) => pool.minSize);
  }

  acquire(): Promise<Connection> {
    return this.#whole.acquire(this.#queryType);
  }

  release(connection: Connection): void {
    this.#whole.release(connection);
  }

  async destroy(connection: Connection): Promise<void> {
    await this.#whole.destroy(connection);
  }

  async drain(): Promise<void> {
    await Promise.all(this.#parts().map((pool) => pool.drain()));
  }

  async destroyAllNow(): Promise<void> {
    await Promise.all(this.#parts().map((pool) => pool.destroyAllNow()));
  }

  #sum(of: (pool: NodePool<Connection>) => number): number {
    return this.#parts().reduce((sum, pool) => sum + of(pool), 0);
  }
}
