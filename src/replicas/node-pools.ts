import { later, now } from '../clock';
import { checkSpec } from './check-spec';
import type { NodeState, StateChange } from './health';
import type { NodePool } from './node-pool';
import { Primary } from './primary';
import { ReadAcquisition } from './read-acquisition';
import { Replica } from './replica';
import type { NodeHooks, NodePoolsOptions, NodeSpec, ReadRequest, Timers } from './types';

export interface NodePoolsParts<C extends object> {
  readonly primary: NodeSpec<C>;
  readonly replicas: readonly NodeSpec<C>[];
  readonly hooks: NodeHooks<C>;
  readonly options?: NodePoolsOptions;
  readonly timers?: Timers;
  /** Default `Math.random`. */
  readonly random?: () => number;
}

/** A replica as it stands, for health pages. */
export interface ReplicaStatus {
  readonly node: string;
  readonly state: NodeState;
  readonly size: number;
  readonly using: number;
  readonly waiting: number;
}

/** Where a connection of ours lives. */
interface Home<C extends object> {
  readonly node: string;
  release(connection: C): void;
  destroy(connection: C): Promise<void>;
}

/** One pool a replica, and two for the primary. Opens nothing until asked. */
export class NodePools<C extends object> {
  readonly #parts: NodePoolsParts<C>;
  readonly #timers: Timers;
  readonly #primary: Primary<C>;
  readonly #replicas = new Map<string, Replica<C>>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #homes = new WeakMap<C, Home<C>>();
  readonly #reads = new ReadAcquisition<C>(this.#replicas);
  readonly #listeners = new Set<(change: StateChange) => void>();

  /** @throws OptionsError when two nodes have the same name, or a weight is not above zero. */
  constructor(parts: NodePoolsParts<C>) {
    this.#parts = parts;
    this.#timers = parts.timers ?? { now, later };
    const { primary, hooks, options } = parts;
    this.#primary = new Primary<C>(primary, {
      hooks,
      maxFallback: options?.maxPrimaryFallback,
      timers: this.#timers,
      onOpen: (connection, pool) => {
        this.#homes.set(connection, {
          node: primary.name,
          release: (given) => {
            this.#primary.endFallback(given);
            pool.release(given);
          },
          destroy: (given) => {
            this.#primary.endFallback(given);
            return pool.destroy(given);
          },
        });
      },
    });
    for (const spec of parts.replicas) this.add(spec);
  }

  /** The primary's pool for writes and transactions. */
  get writePool(): NodePool<C> {
    return this.#primary.writes;
  }

  /** The pools that serve reads: one a replica, and one of the primary. */
  readPools(): NodePool<C>[] {
    return [...[...this.#replicas.values()].map(({ pool }) => pool), this.#primary.reads];
  }

  /** Reads that the primary is serving in place of replicas. */
  get fallbacks(): number {
    return this.#primary.fallbacks;
  }

  /**
   * A connection of the primary for a write or a transaction.
   *
   * @throws what its connect throws; an Error when the connection is not admitted
   * @throws the pool's TimeoutError when none is free in time
   */
  acquireWrite(): Promise<C> {
    return this.#primary.writes.acquire();
  }

  /**
   * A connection of the primary for one read. `fallback`: a replica should have served it; such reads
   * are counted until the connection is given back.
   *
   * @throws ReplicasUnavailableError when `maxPrimaryFallback` such reads are at it
   * @throws what {@link acquireWrite} throws
   */
  acquirePrimaryRead({ fallback = false } = {}): Promise<C> {
    return fallback ? this.#primary.acquireFallback() : this.#primary.reads.acquire();
  }

  /**
   * A connection of the least loaded replica among the eligible ones. A replica that can't give one
   * is left out from then on, and the read goes to the next. Where `request.node` is set on return,
   * there was nothing to wait for, and the promise is fulfilled.
   *
   * @throws NoReplicaLeft with the reasons of all, when none can; whatever `recheck` throws
   * @throws the pool's TimeoutError when the chosen replica has no free connection in time
   */
  acquireRead(request: ReadRequest<C>): Promise<C> {
    request.node = undefined;
    try {
      return this.#reads.acquire(request);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Takes a connection back. False when it is none of ours. */
  release(connection: C): boolean {
    const home = this.#homes.get(connection);
    home?.release(connection);
    return home !== undefined;
  }

  /** Closes a connection, in use or not. Resolves with false when it is none of ours; never rejects. */
  async destroy(connection: C): Promise<boolean> {
    const home = this.#homes.get(connection);
    await home?.destroy(connection);
    return home !== undefined;
  }

  /** The node at the other end; `undefined` for a connection that is none of ours. */
  nodeOf(connection: C): string | undefined {
    return this.#homes.get(connection)?.node;
  }

  /** Another server answers under this name now: connections opened until now are given up. */
  renew(node: string): void {
    if (node === this.#parts.primary.name) this.#primary.renew();
    else this.#replicas.get(node)?.renew();
  }

  /** Whether reads can be sent to this replica now, as far as its health goes. */
  usable(node: string): boolean {
    return this.#replicas.get(node)?.usable === true;
  }

  replicas(): ReplicaStatus[] {
    return [...this.#replicas.values()].map(({ name, state, pool }) => ({
      node: name,
      state,
      size: pool.size,
      using: pool.using,
      waiting: pool.waiting,
    }));
  }

  /** A read on `node` failed with `error`. */
  noteFailure(node: string, error: unknown): void {
    this.#replicas.get(node)?.failed(error);
  }

  /** A statement was answered by `node`. */
  noteSuccess(node: string): void {
    this.#replicas.get(node)?.served();
  }

  /** Calls `fn` when a replica changes its state. It must not throw. */
  onStateChange(fn: (change: StateChange) => void): { dispose(): void } {
    const listener = (change: StateChange): void => fn(change);
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  /** Adds a replica. @throws OptionsError when the name is taken or the weight not above zero */
  add(spec: NodeSpec<C>): void {
    checkSpec(spec, (name) => name === this.#parts.primary.name || this.#replicas.has(name));
    const { name } = spec;
    const { hooks, options, random = Math.random } = this.#parts;
    const replica: Replica<C> = new Replica<C>(spec, {
      hooks,
      connectTimeoutMs: options?.connectTimeoutMs ?? 3000,
      replicaTimeoutMs: options?.replicaTimeoutMs ?? 2000,
      timers: this.#timers,
      random,
      onChange: (from, to) => this.#tell(name, from, to),
      onOpen: (connection) => {
        this.#homes.set(connection, {
          node: name,
          release: (given) => replica.release(given),
          destroy: (given) => replica.destroy(given),
        });
      },
    });
    this.#replicas.set(name, replica);
  }

  /** Takes a replica out at once; resolves when its last connection is back and closed. */
  async remove(node: string): Promise<void> {
    const replica = this.#replicas.get(node);
    if (!replica) return;
    this.#replicas.delete(node);
    this.#reads.forget(node);
    const leaving = replica.drain().then(() => replica.pool.destroyAllNow());
    this.#leaving.add(leaving);
    await leaving;
    this.#leaving.delete(leaving);
  }

  /** Opens the `min` connections of each replica. What fails is a matter of health: never rejects. */
  async warmUp(): Promise<void> {
    await Promise.allSettled([...this.#replicas.values()].map(({ pool }) => pool.fill()));
  }

  /** Takes no more work; resolves once every connection is back. */
  async drain(): Promise<void> {
    await Promise.all([
      this.#primary.writes.drain(),
      this.#primary.reads.drain(),
      ...[...this.#replicas.values()].map((replica) => replica.drain({ inHurry: true })),
      ...this.#leaving,
    ]);
  }

  /** Closes every connection that nobody is using. */
  async destroyAllNow(): Promise<void> {
    const pools = [this.#primary.writes, ...this.readPools()];
    await Promise.all(pools.map((pool) => pool.destroyAllNow()));
  }

  #tell(node: string, from: NodeState, to: NodeState): void {
    const because = to.kind === 'up' ? 'answers' : to.because;
    const change: StateChange = { node, from: from.kind, to: to.kind, because };
    for (const listener of this.#listeners) listener(change);
  }
}
