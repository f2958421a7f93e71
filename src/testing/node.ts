import { ClusterError } from '../errors';
import { withClient } from './client';
import { superuser } from './data-directory';
import type { Server } from './server';

/** How to reach the nodes of a cluster, beside their ports. */
export interface Access {
  readonly database: string;
  readonly password: string;
}

/** One server of a cluster. Calls on the same node take effect one after another, in call order. */
export class ClusterNode {
  readonly host = '127.0.0.1';
  readonly user = superuser;
  #turn: Promise<unknown> = Promise.resolve();
  #ended = false;

  /** @internal */
  constructor(
    /** `primary`, `replica1`, `replica2`, ... */
    readonly name: string,
    readonly port: number,
    protected readonly access: Access,
    protected readonly server: Server,
  ) {}

  /** The name of the database. */
  get database(): string {
    return this.access.database;
  }

  /** Password of {@link user}: random, new for each cluster. */
  get password(): string {
    return this.access.password;
  }

  /** A connection URL for this node and the cluster's database. */
  get url(): string {
    const { host, port, user, password, database } = this;
    return `postgres://${user}:${password}@${host}:${port}/${encodeURIComponent(database)}`;
  }

  /** Whether the server process is there (also while it is frozen). */
  get running(): boolean {
    return this.server.running;
  }

  /** Whether it was frozen by {@link freeze}. */
  get frozen(): boolean {
    return this.server.frozen;
  }

  /**
   * Starts a stopped or killed node on its old port. Resolves once it accepts connections.
   *
   * @throws ClusterError when it does not start, and when its cluster was stopped
   */
  start(): Promise<void> {
    return this.inTurn(() => this.startServer());
  }

  /**
   * Shuts the node down in an orderly way (fast shutdown). Resolves once its process is gone, at
   * once when it is not running.
   *
   * @throws ClusterError when its processes do not end
   */
  stop(): Promise<void> {
    return this.inTurn(() => this.server.stop('fast'));
  }

  /**
   * Kills all processes of the node, as if its machine had died. Resolves once they are gone, at
   * once when it is not running.
   *
   * @throws ClusterError when its processes do not end
   */
  kill(): Promise<void> {
    return this.inTurn(() => this.server.kill());
  }

  /**
   * Stops all processes of the node where they stand: connections stay open and never answer. Does
   * nothing to a node that is not running.
   *
   * @throws ClusterError when its processes do not stop
   */
  freeze(): Promise<void> {
    return this.inTurn(() => this.server.freeze());
  }

  /** Lets a frozen node go on. Does nothing to one that is not frozen; throws nothing. */
  thaw(): Promise<void> {
    return this.inTurn(() => {
      this.server.thaw();
      return Promise.resolve();
    });
  }

  /**
   * Runs one statement as superuser over a connection of its own and resolves with its rows.
   * @throws ClusterError when the node is stopped or frozen; the database's error when the statement fails.
   */
  async query(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return withClient(this, async (client) => {
      const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
      return rows;
    });
  }

  /** @internal Throws a ClusterError when no statement can get an answer. */
  assertAnswers(): void {
    this.#refuseAfterEnd();
    if (!this.running) {
      throw new ClusterError(`${this.name} is not running: call start() first`);
    }
    if (this.frozen) throw new ClusterError(`${this.name} is frozen: call thaw() first`);
  }

  /** @internal Ends the node for good, without a checkpoint and ahead of calls still under way. */
  end(): Promise<void> {
    this.#ended = true;
    return this.server.stop('immediate');
  }

  protected async startServer(): Promise<void> {
    this.#refuseAfterEnd();
    await this.server.start(this.name);
  }

  protected inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(task);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #refuseAfterEnd(): void {
    if (this.#ended) {
      throw new ClusterError(`${this.name} is gone: its cluster was stopped`);
    }
  }
}
