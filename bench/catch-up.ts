import { Sequelize } from 'sequelize';
import { startCluster } from '../src/testing';
import { builtPackage } from './built';
import { quantile } from './figures';

const RUNS = 5;
const WRITES = 100;
const LAG_MS = 20;
const WAITS_MS = [0, 10, 25, 50];

/** Of the reads right after a write of their table: how many replicas answered, for each wait allowed. */
async function catchUp(): Promise<void> {
  const { freshReads } = await builtPackage();
  const cluster = await startCluster({ replicas: 2 });
  const shares = new Map(WAITS_MS.map((ms) => [ms, [] as number[]]));
  try {
    await cluster.primary.query('CREATE TABLE rows (id serial PRIMARY KEY)');
    await cluster.waitForReplicas();
    for (const replica of cluster.replicas) await replica.setLag(LAG_MS);
    for (let run = 0; run < RUNS; run++) {
      for (const catchUpWaitMs of WAITS_MS) {
        const sequelize = new Sequelize(cluster.sequelizeOptions());
        const reads = freshReads(sequelize, { freshness: { mode: 'proven', catchUpWaitMs } });
        await reads.ready();
        let onReplicas = 0;
        reads.onDecision(({ target }) => {
          if (target === 'replica') onReplicas++;
        });
        for (let i = 0; i < WRITES; i++) {
          await reads.runOperation({}, async () => {
            await sequelize.query('INSERT INTO rows DEFAULT VALUES');
            await sequelize.query('SELECT count(*) FROM rows');
          });
        }
        await sequelize.close();
        shares.get(catchUpWaitMs)?.push((100 * onReplicas) / WRITES);
      }
    }
  } finally {
    await cluster.stop();
  }
  console.log(`\nreads after a write answered by replicas, ${LAG_MS} ms behind (%)`);
  for (const [ms, values] of shares) {
    const [low, median, high] = [0, 0.5, 1].map((share) => quantile(values, share).toFixed(0));
    console.log(`  catchUpWaitMs ${String(ms).padStart(3)}   ${median}   ${low} .. ${high}`);
  }
}

export const benches = [{ name: 'freshness/catch-up', run: catchUp }];
