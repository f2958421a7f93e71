import { FallbackLimit } from './fallback-limit';
import { NodePool, shut } from './node-pool';
import type { NodeHooks, NodeSpec, Timers } from './types';

export interface PrimaryParts<C extends object> {
  readonly hooks: NodeHooks<C>;
  readonly maxFallback: number | undefined;
  readonly timers: Timers;
  readonly onOpen: (connection: C, pool: NodePool<C>) => void;
}

/**
 * The primary with its two pools: transactions that each read outside themselves would otherwise
 * hold all its connections while they wait for one more.
 */
export class Primary<C extends object> {
  /** For writes and transactions. */
  readonly writes: NodePool<C>;
  /** For reads that were sent here. */
  readonly reads: NodePool<C>;
  readonly #limit: FallbackLimit;
  readonly #inFallback = new WeakSet<C>();

  constructor(spec: NodeSpec<C>, parts: PrimaryParts<C>) {
    const { hooks, timers, onOpen } = parts;
    const poolOf = (min: number): NodePool<C> => {
      const pool: NodePool<C> = new NodePool<C>(spec, {
        min,
        open: async () => {
          const connection = await spec.connect();
          onOpen(connection, pool);
          if (await hooks.admit(spec.name, connection)) return connection;
          void shut(spec, connection, timers);
          throw new Error(
            `${spec.name}: the connection was refused, since the node behind it is not the primary`,
          );
        },
        onLost: () => {
          this.renew();
          hooks.lost(spec.name);
        },
        timers,
      });
      return pool;
    };
    this.writes = poolOf(spec.pool.min);
    // Mostly unused: nothing is kept open for it.
    this.reads = poolOf(0);
    this.#limit = new FallbackLimit(parts.maxFallback);
  }

  /** Reads served in place of replicas at the moment. */
  get fallbacks(): number {
    return this.#limit.taken;
  }

  /** Gives up every connection opened until now: idle ones at once, the others when they come back. */
  renew(): void {
    this.writes.renew();
    this.reads.renew();
  }

  async acquireFallback(): Promise<C> {
    this.#limit.enter();
    try {
      const connection = await this.reads.acquire();
      this.#inFallback.add(connection);
      return connection;
    } catch (error) {
      this.#limit.leave();
      throw error;
    }
  }

  /** The connection has done its turn, whatever for. */
  endFallback(connection: C): void {
    if (this.#inFallback.delete(connection)) this.#limit.leave();
  }
}
