import { Sequelize, type Options } from 'sequelize';
import { startCluster, type Cluster, type ClusterNode, type ReplicaNode } from '../../src/testing';

/** What tests may ask of the shared cluster: no more than nodes in containers can do as well. */
export interface SharedCluster extends Pick<
  Cluster,
  'sequelizeOptions' | 'stop' | 'waitForReplicas'
> {
  readonly primary: Pick<ClusterNode, 'query'>;
  readonly replicas: readonly Pick<ReplicaNode, 'pause' | 'query' | 'resume'>[];
}

let start: () => Promise<SharedCluster> = () => startCluster({ replicas: 2 });
let running: Promise<SharedCluster> | undefined;
let databases = 0;

/** Before the first test: says how the shared cluster is started, in place of `startCluster`. */
export function shareCluster(starter: () => Promise<SharedCluster>): void {
  start = starter;
}

/** One cluster for all test files that don't break nodes: started by the first to ask. */
export function sharedCluster(): Promise<SharedCluster> {
  running ??= start();
  return running;
}

/** Registered as a root hook: ends the shared cluster after the last file. */
export async function stopSharedCluster(): Promise<void> {
  await (await running)?.stop();
  running = undefined;
}

/** An empty database of its own on the shared cluster, on every node, with SQL run in it. */
export async function createDatabase(...setup: string[]): Promise<TestDatabase> {
  const cluster = await sharedCluster();
  for (const replica of cluster.replicas) await replica.resume();
  const name = `test_${process.pid}_${++databases}`;
  await cluster.primary.query(`CREATE DATABASE ${name}`);
  const database = new TestDatabase(cluster, name);
  await database.run(...setup);
  await cluster.waitForReplicas();
  return database;
}

export class TestDatabase {
  readonly #instances: Sequelize[] = [];

  constructor(
    readonly cluster: SharedCluster,
    readonly name: string,
  ) {}

  /** A Sequelize instance with replication over the cluster; closed by `close`. */
  connect(options: Options = {}): Sequelize {
    const base = this.cluster.sequelizeOptions();
    const { write, read } = base.replication;
    const here = <Node extends object>(node: Node) => ({ ...node, database: this.name });
    const sequelize = new Sequelize({
      ...base,
      database: this.name,
      replication: { write: here(write), read: read.map(here) },
      ...options,
    });
    this.#instances.push(sequelize);
    return sequelize;
  }

  /** Runs statements on the primary with an instance that nobody routes. */
  async run(...statements: string[]): Promise<void> {
    const plain = this.connect();
    for (const sql of statements) await plain.query(sql);
    await plain.close();
  }

  async pauseReplicas(): Promise<void> {
    await this.cluster.waitForReplicas();
    for (const replica of this.cluster.replicas) await replica.pause();
  }

  async resumeReplicas(): Promise<void> {
    for (const replica of this.cluster.replicas) await replica.resume();
    await this.cluster.waitForReplicas();
  }

  /** Closes every instance; the database goes with the cluster. */
  async close(): Promise<void> {
    for (const replica of this.cluster.replicas) await replica.resume();
    await Promise.all(this.#instances.map((instance) => instance.close()));
  }
}
