import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { QueryTypes, Sequelize, type Options } from 'sequelize';
import { freshReads, type Decision, type FreshReads, type FreshReadsOptions } from '../../src';
import {
  startCluster,
  type Cluster,
  type ClusterNode,
  type ClusterOptions,
} from '../../src/testing';
import { oldestVersion } from '../../src/testing/programs';

/** Short, so that a frozen node is given up within a test's patience. */
const IMPATIENT: FreshReadsOptions = { replicaConnectTimeoutMs: 1000, replicaTimeoutMs: 300 };

/** One instance with its handle, and every decision made on it. */
export class App {
  readonly sequelize: Sequelize;
  readonly reads: FreshReads;
  readonly decisions: Decision[] = [];

  constructor(options: Options, fresh: FreshReadsOptions) {
    this.sequelize = new Sequelize(options);
    this.reads = freshReads(this.sequelize, { ...IMPATIENT, ...fresh });
    this.reads.onDecision((decision) => this.decisions.push(decision));
  }

  /** Runs a read as Sequelize's own finders do. */
  async select<Row extends object>(sql: string): Promise<Row[]> {
    return this.sequelize.query<Row>(sql, { type: QueryTypes.SELECT });
  }

  /** The decision on the last statement that was sent. */
  get last(): Decision {
    const last = this.decisions.at(-1);
    if (!last) throw new Error('nothing was decided yet');
    return last;
  }

  /** Resolves once a read of `table` was served by `node`; the time limit is the test's own. */
  async untilServedBy(node: string, table: string): Promise<void> {
    await until(async () => {
      await this.select(`SELECT 1 FROM ${table} LIMIT 1`);
      return this.last.node === node;
    });
  }

  /** Resolves once nothing that this process wrote is live any more. */
  async untilExpired(): Promise<void> {
    await until(() => Promise.resolve(this.reads.status().liveWrites.length === 0));
  }
}

let grounds = 0;

/** A cluster of its own for tests that break nodes, with what they opened on it. */
export class Ground {
  readonly #name = `faults-${process.pid}-${++grounds}`;
  readonly #apps: App[] = [];
  readonly #rejections: unknown[] = [];
  readonly #onRejection = (reason: unknown) => void this.#rejections.push(reason);

  private constructor(readonly cluster: Cluster) {
    process.on('unhandledRejection', this.#onRejection);
  }

  static async start(options: ClusterOptions = {}): Promise<Ground> {
    const ground = new Ground(await startCluster({ replicas: 2, ...options }));
    await ground.run(
      'CREATE TABLE items (id int PRIMARY KEY, version int NOT NULL)',
      'CREATE TABLE rare (id int PRIMARY KEY, version int NOT NULL)',
      'CREATE TABLE bulk (filler text)',
      'INSERT INTO items SELECT i, 0 FROM generate_series(1, 100) i',
      'INSERT INTO rare VALUES (1, 0)',
    );
    return ground;
  }

  get nodes(): readonly ClusterNode[] {
    return [this.cluster.primary, ...this.cluster.replicas];
  }

  get replica1() {
    return this.cluster.replicas[0]!;
  }

  get replica2() {
    return this.cluster.replicas[1]!;
  }

  /** Runs statements on the primary as another client would, and lets replicas catch up. */
  async run(...statements: string[]): Promise<void> {
    for (const sql of statements) await this.cluster.primary.query(sql);
    await this.cluster.waitForReplicas();
  }

  /** The options of an instance over all nodes of the cluster. */
  options(options: Options = {}): Options {
    return {
      ...this.cluster.sequelizeOptions(),
      dialectOptions: { application_name: this.#name },
      ...options,
    };
  }

  app(fresh: FreshReadsOptions = {}, options: Options = {}): App {
    const app = new App(this.options(options), fresh);
    this.#apps.push(app);
    return app;
  }

  /** The same, with its catalog read. */
  async readyApp(fresh: FreshReadsOptions = {}, options: Options = {}): Promise<App> {
    const app = this.app(fresh, options);
    await app.reads.ready();
    return app;
  }

  /** Puts every standby back to work, ends all instances and looks for what they left behind. */
  async heal(): Promise<void> {
    for (const node of this.nodes) {
      await node.thaw();
      await node.start();
    }
    for (const replica of this.cluster.replicas) if (!replica.promoted) await replica.resume();
    await Promise.all(this.#apps.splice(0).map(({ sequelize }) => sequelize.close()));
    for (const node of this.nodes) await this.untilNobodyOn(node);
    expect(this.#rejections).to.deep.equal([]);
    await this.cluster.waitForReplicas();
  }

  async stop(): Promise<void> {
    process.off('unhandledRejection', this.#onRejection);
    await this.cluster.stop();
  }

  async untilNobodyOn(node: ClusterNode): Promise<void> {
    const sql = 'SELECT count(*)::int AS left FROM pg_stat_activity WHERE application_name = $1';
    await until(async () => (await node.query(sql, [this.#name]))[0]?.['left'] === 0);
  }

  /** The server processes at work for this ground's instances on `node`. */
  async processesOn(node: ClusterNode): Promise<number[]> {
    const sql = 'SELECT pid FROM pg_stat_activity WHERE application_name = $1';
    return (await node.query(sql, [this.#name])).map(({ pid }) => pid as number);
  }
}

const PAUSE_MS = 2;

/** Asks again and again until it is true; the time limit is the test's own. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => realSetTimeout(resolve, PAUSE_MS));
}

// Taken at load: a test replaces the global one.
const realSetTimeout = globalThis.setTimeout;

/** Resolves with what `promise` rejects with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const result: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(result).to.be.instanceOf(Error);
  return result as Error;
}

/** Holds back `count` callers until all of them have come. */
export function barrier(count: number): () => Promise<void> {
  let open = (): void => undefined;
  const all = new Promise<void>((resolve) => (open = resolve));
  let missing = count;
  return () => {
    if (--missing === 0) open();
    return all;
  };
}

/** The newest PostgreSQL installed where packages of the usual systems put it, as `binDir` wants it. */
function installedPostgres(): string | undefined {
  const parents = ['/usr/lib/postgresql', '/usr/local/opt', '/opt/homebrew/opt', '/usr'];
  return parents
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => path.join(parent, name)))
    .map((dir) => ({
      bin: path.join(dir, 'bin'),
      version: Number(/(?:postgresql[/@]|pgsql-)(\d+)$/.exec(dir)?.[1] ?? 0),
    }))
    .filter(({ bin, version }) => version >= oldestVersion && existsSync(path.join(bin, 'initdb')))
    .sort((a, b) => b.version - a.version)[0]?.bin;
}

/** The servers to run on: those that come with the packages, and installed ones where there are any. */
export function servers(): { title: string; options: ClusterOptions }[] {
  const binDir = installedPostgres();
  return [
    { title: 'PostgreSQL from npm', options: {} },
    ...(binDir === undefined ? [] : [{ title: `PostgreSQL in ${binDir}`, options: { binDir } }]),
  ];
}
