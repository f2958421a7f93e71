import { DataTypes, QueryTypes, Sequelize, type Model, type ModelStatic } from 'sequelize';
import { startCluster, type Cluster } from '../../src/testing';
import type { Workload } from './workload';

/** The most connections of one pool: enough that no policy ever queues for one. */
const CONNECTIONS = 20;

export interface RowValues {
  readonly id: number;
  readonly owner: number;
  readonly version: number;
}

/** The application's models on one Sequelize instance, in the order of the workload's tables. */
export interface Models {
  readonly sequelize: Sequelize;
  readonly tables: readonly ModelStatic<Model>[];
}

/** A primary with two standbys and the application's tables, used by one policy after the other. */
export class Bed {
  private constructor(
    readonly cluster: Cluster,
    readonly workload: Workload,
  ) {}

  static async open(workload: Workload): Promise<Bed> {
    const cluster = await startCluster({
      replicas: 2,
      // What a vacuum scans is none of the application's reads.
      settings: { autovacuum: false, max_connections: 200 },
    });
    try {
      for (const table of workload.tables) {
        await cluster.primary.query(
          `CREATE TABLE ${table} (id serial PRIMARY KEY, owner int NOT NULL, version int NOT NULL, body text)`,
        );
        await cluster.primary.query(
          `INSERT INTO ${table} (owner, version, body)
           SELECT (i - 1) % ${workload.users} + 1, 0, repeat('x', 100) FROM generate_series(1, ${workload.rows}) i`,
        );
        await cluster.primary.query(`CREATE INDEX ON ${table} (owner, id)`);
        await cluster.primary.query(`ANALYZE ${table}`);
      }
      await cluster.waitForReplicas();
      for (const replica of cluster.replicas) await replica.setLag(workload.lagMs);
      return new Bed(cluster, workload);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /**
   * A new instance with Sequelize's own replication, writing to the primary and reading from the
   * replicas named.
   */
  connect(replicas: readonly number[] = this.cluster.replicas.map((_, index) => index)): Models {
    const options = this.cluster.sequelizeOptions();
    const { write, read } = options.replication;
    const sequelize = new Sequelize({
      ...options,
      replication: { write, read: read.filter((_, index) => replicas.includes(index)) },
      pool: { max: CONNECTIONS },
    });
    const tables = this.workload.tables.map((name) =>
      sequelize.define(
        name,
        { owner: DataTypes.INTEGER, version: DataTypes.INTEGER, body: DataTypes.TEXT },
        { timestamps: false, tableName: name },
      ),
    );
    return { sequelize, tables };
  }

  close(): Promise<void> {
    return this.cluster.stop();
  }
}

/** Opens connections to every node and reads no table, so that no policy pays for it while measured. */
export async function warmUp({ sequelize }: Models): Promise<void> {
  const queries = Array.from({ length: CONNECTIONS }, (_, index) =>
    sequelize.query('SELECT 1', { type: QueryTypes.SELECT, useMaster: index % 2 === 0 }),
  );
  await Promise.all(queries);
}
