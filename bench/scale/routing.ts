import { DataTypes, Sequelize } from 'sequelize';
import { startCluster, type Cluster } from '../../src/testing';
import { builtPackage } from '../built';
import { computed, type Figure, type Variant } from '../measure';
import { replayingPg } from '../replaying-client';
import { report } from '../report';

const LIVE_TABLES = [0, 1, 10, 100, 1000];
const REPLICAS = [1, 2, 4, 8, 16];
/** While the number of replicas varies. */
const FEW_TABLES = 10;
/** While the number of tables varies. */
const FEW_REPLICAS = 2;
const PLAN = { rounds: 25, count: 500 };

/** What deciding on one read costs, by the live writes of its operation and by the replicas. */
export async function routing(): Promise<void> {
  const most = Math.max(...LIVE_TABLES);
  const cluster = await startCluster({ replicas: 1, settings: { max_connections: 200 } });
  const opened: Sequelize[] = [];
  try {
    await cluster.primary.query('CREATE TABLE users (id serial PRIMARY KEY, name text)');
    await cluster.primary.query("INSERT INTO users (name) VALUES ('Ann')");
    await cluster.primary.query(
      `DO $$ BEGIN FOR i IN 1..${most} LOOP EXECUTE 'CREATE TABLE other' || i || ' (id int)'; END LOOP; END $$`,
    );
    await cluster.waitForReplicas();
    const compare = async (title: string, variants: Promise<Variant>[]) => {
      const figures = await computed(await Promise.all(variants), PLAN);
      report(title, 'us of processor time', figures);
      return figures;
    };
    const byTables = await compare(
      `a read without network and server, ${FEW_REPLICAS} replicas`,
      LIVE_TABLES.map((live) => reading(cluster, FEW_REPLICAS, live, opened)),
    );
    slopes('a live table', LIVE_TABLES, byTables);
    const byReplicas = await compare(
      `a read without network and server, ${FEW_TABLES} live tables`,
      REPLICAS.map((replicas) => reading(cluster, replicas, FEW_TABLES, opened)),
    );
    slopes('a replica', REPLICAS, byReplicas);
  } finally {
    for (const sequelize of opened) await sequelize.close();
    await cluster.stop();
  }
}

/** Reads of a table that is not among the live ones: all of these are looked at, and none decides. */
async function reading(
  cluster: Cluster,
  replicas: number,
  live: number,
  opened: Sequelize[],
): Promise<Variant> {
  const options = cluster.sequelizeOptions();
  const { write, read } = options.replication;
  const sequelize = new Sequelize({
    ...options,
    // The same server under several names: only their number matters here.
    replication: {
      write,
      read: Array.from({ length: replicas }, (_, n) => ({ ...read[0], name: `node${n}` })),
    },
    pool: { max: 1 },
    dialectModule: replayingPg,
  });
  opened.push(sequelize);
  const User = sequelize.define('user', { name: DataTypes.TEXT }, { timestamps: false });
  const { freshReads } = await builtPackage();
  const reads = freshReads(sequelize, { freshness: { mode: 'fixed', windowMs: 3_600_000 } });
  await reads.ready();
  const tables = Array.from({ length: live }, (_, n) => `other${n + 1}`);
  return {
    name: `${live} live tables, ${replicas} replicas`,
    run: (count) =>
      reads.runOperation({}, async () => {
        if (live > 0) reads.markWritten(tables);
        for (let i = 0; i < count; i++) await User.findByPk(1);
      }),
  };
}

/** The growth between the first and the last of several sizes. */
function slopes(what: string, sizes: readonly number[], figures: readonly Figure[]): void {
  const growth = figures.at(-1)?.more ?? NaN;
  const size = (sizes.at(-1) ?? NaN) - (sizes[0] ?? NaN);
  console.log(`  ${((1000 * growth) / size).toFixed(1)} ns a read for ${what} more`);
}
