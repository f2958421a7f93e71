import { Sequelize } from 'sequelize';
import { startCluster } from '../../src/testing';
import { builtPackage } from '../built';
import { computed, type Variant } from '../measure';
import { report } from '../report';

const OPEN = [1, 100, 10_000];
const TABLES = Array.from({ length: 30 }, (_, index) => `table${index}`);
const PLAN = { rounds: 25, count: 5000 };

/** What the books cost one operation, by how many others are open and have written. */
export async function ledger(): Promise<void> {
  const { freshReads } = await builtPackage();
  const cluster = await startCluster({ replicas: 1 });
  const opened: Sequelize[] = [];
  const ends: (() => void)[] = [];
  try {
    for (const table of TABLES) await cluster.primary.query(`CREATE TABLE ${table} (id int)`);
    await cluster.waitForReplicas();
    const writing: Variant[] = [];
    const looking: Variant[] = [];
    for (const count of OPEN) {
      const sequelize = new Sequelize(cluster.sequelizeOptions());
      opened.push(sequelize);
      const reads = freshReads(sequelize, { freshness: { mode: 'fixed', windowMs: 3_600_000 } });
      await reads.ready();
      for (let i = 0; i < count; i++) {
        void reads.runOperation({ kind: 'query' }, async () => {
          reads.markWritten([TABLES[i % TABLES.length] ?? '']);
          await new Promise<void>((resolve) => ends.push(resolve));
        });
      }
      const name = `${count} operations open`;
      const [table = ''] = TABLES;
      const one = (step: () => unknown): Variant => ({
        name,
        run: (times) =>
          reads.runOperation({}, () => {
            for (let i = 0; i < times; i++) step();
          }),
      });
      writing.push(one(() => reads.markWritten([table])));
      looking.push(one(() => reads.history()));
    }
    report('a write of one table noted', 'us of processor time', await computed(writing, PLAN));
    report('a look at the history', 'us of processor time', await computed(looking, PLAN));
  } finally {
    for (const end of ends) end();
    for (const sequelize of opened) await sequelize.close();
    await cluster.stop();
  }
}
