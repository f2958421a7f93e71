import { Pool } from 'sequelize-pool';
import type { NodeSpec, Timers } from './types';
import { within } from './within';

/** How long a connection gets to close in an orderly way, in milliseconds, before it is cut. */
const FAREWELL_MS = 3000;

/**
 * The same while the pool is on its way out: idle connections have nothing to lose, the farewell is
 * sent by then, and nobody wants to wait for a frozen server's answer to it.
 */
const LAST_FAREWELL_MS = 250;

/**
 * Closes a connection: politely, and by force when the other side does not answer. Never rejects.
 * Resolves with false when force was needed.
 */
export async function shut<C extends object>(
  spec: NodeSpec<C>,
  connection: C,
  timers: Timers,
  farewellMs = FAREWELL_MS,
): Promise<boolean> {
  try {
    await within(spec.disconnect(connection), farewellMs, `disconnect from ${spec.name}`, timers);
    return true;
  } catch {
    spec.sever(connection);
    return false;
  }
}

/** The connections of one node for one purpose. */
export class NodePool<C extends object> {
  readonly #spec: NodeSpec<C>;
  readonly #pool: Pool<C>;
  readonly #timers: Timers;
  readonly #onLost: (connection: C) => void;
  /** The connections that are not being closed, with the generation each is of. */
  readonly #open = new Map<C, number>();
  /** Cut by ourselves: their end is no news. */
  readonly #cut = new WeakSet<C>();
  #generation = 0;
  /** The node did not answer a farewell: the next ones are not waited for. */
  #mute = false;
  #farewellMs = FAREWELL_MS;
  #ready: C | undefined;

  constructor(
    spec: NodeSpec<C>,
    parts: {
      readonly min: number;
      readonly open: () => Promise<C>;
      /** A connection ended that nobody here has closed. */
      readonly onLost: (connection: C) => void;
      readonly timers: Timers;
    },
  ) {
    this.#spec = spec;
    this.#timers = parts.timers;
    this.#onLost = parts.onLost;
    const { max, idle, acquire, evict, maxUses } = spec.pool;
    this.#pool = new Pool<C>({
      name: spec.name,
      create: async () => {
        const generation = this.#generation;
        const connection = await parts.open();
        this.#open.set(connection, generation);
        this.#mute = false;
        return connection;
      },
      destroy: (connection) => this.#close(connection),
      validate: (connection) => {
        const good = this.#isGood(connection);
        if (good) this.#ready = connection;
        return good;
      },
      max,
      min: parts.min,
      acquireTimeoutMillis: acquire,
      idleTimeoutMillis: idle,
      reapIntervalMillis: evict,
      ...(maxUses !== undefined && { maxUses }),
    });
  }

  get size(): number {
    return this.#pool.size;
  }

  get available(): number {
    return this.#pool.available;
  }

  get using(): number {
    return this.#pool.using;
  }

  get waiting(): number {
    return this.#pool.waiting;
  }

  get maxSize(): number {
    return this.#pool.maxSize;
  }

  get minSize(): number {
    return this.#pool.minSize;
  }

  /**
   * @throws whatever `open` throws
   * @throws the pool's TimeoutError when none is free in time
   */
  acquire(): Promise<C> {
    // Whoever waits already comes first.
    const next = this.#pool.waiting === 0;
    this.#ready = undefined;
    const acquiring = this.#pool.acquire();
    if (!next) this.#ready = undefined;
    return acquiring;
  }

  /**
   * What the promise that {@link acquire} gave just now is fulfilled with already; `undefined` when
   * there is something to wait for. Not to have to ask the promise: every `then` costs.
   */
  get ready(): C | undefined {
    return this.#ready;
  }

  /** Takes a connection back. True when it goes on being used. */
  release(connection: C): boolean {
    // An idle connection is only looked at when it is next wanted: a broken one would lie there.
    const good = this.#isGood(connection);
    if (good) this.#pool.release(connection);
    else void this.#pool.destroy(connection);
    return good;
  }

  async destroy(connection: C): Promise<void> {
    await this.#pool.destroy(connection);
  }

  /** Gives up every connection opened until now: idle ones at once, the others when they come back. */
  renew(): void {
    this.#generation += 1;
    void this.#pool.destroyAllNow();
  }

  /** Cuts every connection, in use or not: whoever waits on one of them would wait for ever. */
  cutAll(): void {
    this.#mute = true;
    for (const connection of this.#open.keys()) {
      this.#cut.add(connection);
      this.#spec.sever(connection);
    }
  }

  /** Opens the least number of connections that the pool keeps. Rejects with the first failed connect. */
  async fill(): Promise<void> {
    const wanted = Array.from({ length: this.#spec.pool.min }, () => this.#pool.acquire());
    const got = await Promise.allSettled(wanted);
    for (const one of got) if (one.status === 'fulfilled') this.release(one.value);
    const failed = got.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Takes no more work; resolves once every connection is back. */
  drain(): Promise<void> {
    this.#farewellMs = LAST_FAREWELL_MS;
    return this.#pool.drain();
  }

  /** Closes all idle connections. */
  destroyAllNow(): Promise<void> {
    return this.#pool.destroyAllNow();
  }

  #isGood(connection: C): boolean {
    return this.#open.get(connection) === this.#generation && this.#spec.validate(connection);
  }

  async #close(connection: C): Promise<void> {
    if (!this.#open.delete(connection)) return;
    if (!this.#spec.validate(connection) && !this.#cut.has(connection)) this.#onLost(connection);
    if (this.#mute) this.#spec.sever(connection);
    else if (!(await shut(this.#spec, connection, this.#timers, this.#farewellMs))) {
      this.#mute = true;
    }
  }
}
