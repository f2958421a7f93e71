/** A program that uses replicas in the way its argument names, and then has nothing left to do. */
import { QueryTypes, Sequelize, type Options } from 'sequelize';
import { freshReads } from '../../src';

const [how = '', json = '{}'] = process.argv.slice(2);
const FROZEN_AT = Date.UTC(2020, 0, 1);

/** What libraries for tests put in the place of clocks: they stand still, and no timer ever fires. */
function freezeClocks(): void {
  const never = () => 0;
  Object.assign(globalThis, {
    setTimeout: never,
    setInterval: never,
    setImmediate: never,
    clearTimeout: never,
    performance: { now: () => 0, timeOrigin: FROZEN_AT },
  });
  Date.now = () => FROZEN_AT;
}

async function main(): Promise<void> {
  // Idle connections keep a process up: as with Sequelize alone, they are closed after this time.
  const pool = { idle: 50, evict: 20 };
  const sequelize = new Sequelize({ ...(JSON.parse(json) as Options), pool });
  const wait = how === 'wait' ? 400 : 0;
  const reads = freshReads(sequelize, { freshness: { mode: 'proven', catchUpWaitMs: wait } });
  const versionOf = async () => {
    const sql = 'SELECT version FROM rare';
    const [row] = await sequelize.query<{ version: number }>(sql, { type: QueryTypes.SELECT });
    return row?.version;
  };
  await reads.ready();
  if (how === 'fake') freezeClocks();
  await sequelize.query('UPDATE rare SET version = 12');
  console.log(`read ${await versionOf()}`);
  if (how === 'fake') {
    while (reads.status().liveWrites.length > 0) await versionOf();
    console.log('expired');
  }
  if (how === 'close' || how === 'fake') await sequelize.close();
  console.log('done');
}

void main();
