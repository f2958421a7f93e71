import { setTimeout as sleep } from 'node:timers/promises';
import { Sequelize } from 'sequelize';
import { startCluster } from '../../src/testing';
import { builtPackage } from '../built';
import { computed, type Variant } from '../measure';
import { keep, report } from '../report';

const TABLES = [1, 2, 4, 8, 16, 17, 100];
const PLAN = { rounds: 25, count: 300 };

/** How long session tokens get, and what it costs to make them and to take them in. */
export async function tokens(): Promise<void> {
  const { freshReads } = await builtPackage();
  const most = Math.max(...TABLES);
  const cluster = await startCluster({ replicas: 1 });
  const sequelize = new Sequelize(cluster.sequelizeOptions());
  try {
    for (let n = 1; n <= most; n++) {
      await cluster.primary.query(`CREATE TABLE table${n} (id int)`);
    }
    await cluster.waitForReplicas();
    const reads = freshReads(sequelize, { sessionSecret: 'a secret of this benchmark only' });
    await reads.ready();
    // Nothing expires, so that every token has something to say: the replica misses this row for good.
    for (const replica of cluster.replicas) await replica.pause();
    await cluster.primary.query('INSERT INTO table1 VALUES (1)');
    const sizes: { tables: number; placed: number; unplaced: number }[] = [];
    const making: Variant[] = [];
    const taking: Variant[] = [];
    for (const count of TABLES) {
      const names = Array.from({ length: count }, (_, n) => `table${n + 1}`);
      const name = `${count} tables`;
      const unplaced = await reads.runOperation({}, () => {
        reads.markWritten(names);
        return reads.token();
      });
      const placed = await reads.runOperation({}, async () => {
        reads.markWritten(names);
        // Until a probe has found out where in the log that was.
        await sleep(100);
        return reads.token();
      });
      sizes.push({ tables: count, placed: sizeOf(placed), unplaced: sizeOf(unplaced) });
      making.push({
        name,
        run: (times) =>
          reads.runOperation({ token: placed }, async () => {
            for (let i = 0; i < times; i++) await reads.token();
          }),
      });
      taking.push({
        name,
        async run(times) {
          for (let i = 0; i < times; i++) {
            await reads.runOperation({ token: placed }, () => undefined);
          }
        },
      });
    }
    console.log('\ncharacters of a session token, by the tables that are live');
    console.log('  tables  with positions  without');
    for (const { tables: count, placed, unplaced } of sizes) {
      const cells = [String(count).padStart(8), String(placed).padStart(16)];
      console.log(`${cells.join('')}${String(unplaced).padStart(9)}`);
    }
    keep({ title: 'scale/tokens', sizes });
    report('a token made', 'us of processor time', await computed(making, PLAN));
    report(
      'an operation opened with a token',
      'us of processor time',
      await computed(taking, PLAN),
    );
  } finally {
    await sequelize.close();
    await cluster.stop();
  }
}

function sizeOf(token: string | undefined): number {
  if (token === undefined) throw new Error('there is no token, though writes are live');
  return token.length;
}
