import type { Candidate } from './choice';
import { isFull, meaningOf } from './failures';
import { NodeHealth, type NodeState, type TrialResult } from './health';
import { NodePool, shut } from './node-pool';
import { SilenceWatch } from './silence';
import { NotAdmitted, Unavailable, troubleOf } from './trouble';
import type { NodeHooks, NodeSpec, ReadRefusal, Timers, Trouble } from './types';
import { within } from './within';

/** How often the rest of the package is told that a replica is in use, in milliseconds. */
const IN_USE_EVERY_MS = 1000;

/** While everything is being closed: a silence that raises the question, and the time for an answer. */
const CLOSING_SILENCE_MS = 500;
const CLOSING_CONNECT_MS = 1000;

export interface ReplicaParts<C extends object> {
  readonly hooks: NodeHooks<C>;
  readonly connectTimeoutMs: number;
  readonly replicaTimeoutMs: number;
  readonly timers: Timers;
  readonly random: () => number;
  readonly onChange: (from: NodeState, to: NodeState) => void;
  /** A connection has come about, admitted or not. */
  readonly onOpen: (connection: C) => void;
}

/** One replica: its pool, its health, and what each tells the other. */
export class Replica<C extends object> implements Candidate {
  readonly name: string;
  readonly weight: number;
  readonly #spec: NodeSpec<C>;
  readonly #parts: ReplicaParts<C>;
  readonly #pool: NodePool<C>;
  readonly #health: NodeHealth;
  readonly #silence: SilenceWatch<C>;
  /** The one connect that others wait for, as long as none has succeeded. */
  #pilot: Promise<unknown> | undefined;
  #reached = false;
  #inQuestion = false;
  #inUseAt = -Infinity;
  #closed = false;
  /** How long a connect may take. */
  #patienceMs: number;

  constructor(spec: NodeSpec<C>, parts: ReplicaParts<C>) {
    this.name = spec.name;
    this.weight = spec.weight ?? 1;
    this.#spec = spec;
    this.#parts = parts;
    this.#patienceMs = parts.connectTimeoutMs;
    const { timers, random, onChange } = parts;
    this.#pool = new NodePool<C>(spec, {
      min: spec.pool.min,
      open: () => this.#open(),
      onLost: (connection) => this.#lost(connection),
      timers,
    });
    this.#health = new NodeHealth({ trial: () => this.#trial(), onChange, timers, random });
    this.#silence = new SilenceWatch<C>(parts.replicaTimeoutMs, timers, () => void this.#ask());
  }

  get pool(): NodePool<C> {
    return this.#pool;
  }

  get state(): NodeState {
    return this.#health.state;
  }

  get usable(): boolean {
    return !this.#closed && this.state.kind === 'up';
  }

  /** A read has been waiting in vain, and a connect is finding out why. */
  get inQuestion(): boolean {
    return this.#inQuestion;
  }

  /** Connections in use and callers waiting for one. */
  get load(): number {
    return this.#pool.using + this.#pool.waiting;
  }

  /**
   * A connection for one read, which is not to be used before {@link take} has agreed to it.
   *
   * @throws the pool's TimeoutError when none is free in time, and what {@link refusalOf} explains
   */
  acquire(): Promise<C> {
    return this.#pool.acquire();
  }

  /** What {@link acquire} gave just now, where there is nothing to wait for. */
  get ready(): C | undefined {
    return this.#pool.ready;
  }

  /** Begins a read on a connection acquired; gives the connection back when there is a refusal. */
  take(connection: C): ReadRefusal | undefined {
    // A connection may come from another reader's hands after the node has gone.
    if (this.state.kind !== 'up') {
      this.#pool.release(connection);
      return this.#refusal();
    }
    this.#silence.hold(connection);
    return undefined;
  }

  /** Why `acquire` failed. @throws `error` itself when that says nothing of the node */
  refusalOf(error: unknown): ReadRefusal {
    if (error instanceof Unavailable) return error.refusal;
    throw error;
  }

  release(connection: C): void {
    this.#silence.letGo(connection);
    if (this.#pool.release(connection)) this.served();
  }

  destroy(connection: C): Promise<void> {
    this.#silence.letGo(connection);
    return this.#pool.destroy(connection);
  }

  /** A read on this node failed. */
  failed(error: unknown): void {
    const { node } = meaningOf(error);
    if (node === 'lost') this.#doubt(error);
    else if (node === 'silent') void this.#ask();
    else this.served();
  }

  /** A statement got its answer from this node. */
  served(): void {
    const at = this.#silence.heard();
    this.#health.served();
    if (at < this.#inUseAt) return;
    this.#inUseAt = at + IN_USE_EVERY_MS;
    this.#parts.hooks.inUse?.(this.name);
  }

  /** Why no read is sent here; only for a node that is not up, or closed. */
  refusal(): ReadRefusal {
    return this.#closed ? { node: this.name, because: 'unknown-node' } : this.#refusal();
  }

  /**
   * Takes no more work; resolves once every connection is back. A frozen node can't prevent it.
   * `inHurry`: everything is being closed, so it is found out sooner that a node is frozen.
   */
  async drain({ inHurry = false } = {}): Promise<void> {
    this.#closed = true;
    this.#health.close();
    if (inHurry) {
      this.#patienceMs = Math.min(this.#patienceMs, CLOSING_CONNECT_MS);
      this.#silence.hurry(CLOSING_SILENCE_MS);
    }
    await this.#pool.drain();
    this.#silence.close();
  }

  async #open(): Promise<C> {
    while (this.#pilot) await this.#pilot;
    if (this.state.kind !== 'up') throw new Unavailable(this.#refusal());
    const connecting = this.#connect();
    if (!this.#reached) {
      this.#pilot = connecting.then(noop, noop).finally(() => (this.#pilot = undefined));
    }
    return connecting;
  }

  async #connect(): Promise<C> {
    try {
      const connection = await this.#dial();
      this.#reached = true;
      return connection;
    } catch (error) {
      const because = troubleOf(error);
      // The server holds as many connections as it may, ours among them: the node itself is well.
      const full = isFull(error) && this.#pool.using + this.#pool.available > 0;
      if (!full) this.#gone(because, error);
      throw new Unavailable({ node: this.name, because, error });
    }
  }

  /** One connect, through to admission. */
  async #dial(): Promise<C> {
    const { timers, onOpen } = this.#parts;
    const patienceMs = this.#patienceMs;
    const opening = this.#spec.connect(patienceMs);
    try {
      const admitting = opening.then(async (connection) => {
        onOpen(connection);
        await this.#admit(connection);
        return connection;
      });
      return await within(admitting, patienceMs, `connect to ${this.name}`, timers);
    } catch (error) {
      // It may still come about, long after nobody waits for it.
      void opening.then((connection) => shut(this.#spec, connection, timers), noop);
      throw error;
    }
  }

  async #admit(connection: C): Promise<void> {
    const answer = await this.#parts.hooks.admit(this.name, connection);
    if (answer !== true) throw new NotAdmitted(answer);
    if (!this.#spec.validate(connection)) throw new Error('Connection terminated unexpectedly');
  }

  async #trial(): Promise<TrialResult> {
    try {
      const connection = await this.#dial();
      this.#reached = true;
      void shut(this.#spec, connection, this.#parts.timers);
      return { ok: true };
    } catch (error) {
      const because = troubleOf(error);
      this.#giveUp(because);
      return { ok: false, because, error };
    }
  }

  /** A frozen node and a slow statement look the same from one connection: one connect tells. */
  async #ask(): Promise<void> {
    if (this.#inQuestion || this.state.kind !== 'up') return;
    this.#inQuestion = true;
    try {
      void shut(this.#spec, await this.#dial(), this.#parts.timers);
      this.#silence.heard();
    } catch (error) {
      const because = troubleOf(error);
      if (because === 'connect-failed' && meaningOf(error).node === 'answered') {
        this.#silence.heard();
      } else {
        this.#gone(because, error);
      }
    } finally {
      this.#inQuestion = false;
    }
  }

  /** Gives up every connection opened until now: idle ones at once, the others when they come back. */
  renew(): void {
    this.#pool.renew();
  }

  #lost(connection: C): void {
    this.#silence.letGo(connection);
    this.#doubt(new Error('Connection terminated unexpectedly'));
  }

  #doubt(error: unknown): void {
    this.#forget();
    this.#health.doubt('connection-lost', error);
  }

  #gone(because: Trouble, error: unknown): void {
    this.#giveUp(because);
    this.#health.fail(because, error);
  }

  #giveUp(because: Trouble): void {
    this.#reached = false;
    if (because === 'not-admitted' || because === 'is-primary') return;
    if (because === 'no-answer') this.#pool.cutAll();
    this.#forget();
  }

  /** A restart may have happened, or may happen with no connection left to notice it by. */
  #forget(): void {
    this.#reached = false;
    this.#pool.renew();
    this.#parts.hooks.lost(this.name);
  }

  #refusal(): ReadRefusal {
    const { state, name } = this;
    if (state.kind === 'up') return { node: name, because: 'not-eligible' };
    return { node: name, because: state.because, error: state.error };
  }
}

function noop(): void {
  // What is waited for matters, not what became of it.
}
