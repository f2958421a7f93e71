import { expect } from 'chai';
import { QueryTypes, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { Execution, currentFrame, runInFrame } from '../../src/operation';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

const OPERATIONS = 2000;
const AT_A_TIME = 40;
const TABLES = Array.from({ length: 8 }, (_, i) => `t${i}`);

/** A sequence of numbers that looks random and is the same in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

describe('who wrote what', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;

  before(async () => {
    database = await createDatabase(...TABLES.map((table) => `CREATE TABLE ${table} (op int)`));
    sequelize = database.connect({ pool: { max: 10 } });
    // Nothing expires, so each operation can be asked at its end for all that it has written.
    reads = freshReads(sequelize, {
      freshness: { mode: 'fixed', windowMs: 600_000 },
      historyScope: 'resolver',
    });
    await reads.ready();
  });
  after(() => database.close());

  it(`is never mixed up among ${OPERATIONS} operations with timers and nested transactions`, async () => {
    const wrong: string[] = [];
    const subscription = reads.onDecision(({ operation, resolver, tables, reason, writes }) => {
      // The frame of whoever is told is that of whoever has asked.
      const around = currentFrame();
      if (around.operation?.info !== operation) wrong.push('decided in another operation');
      if (reason === 'not-a-read' && tables.length > 0 && !operation) wrong.push('lost');
      for (const write of writes) {
        if (write.operation !== operation) wrong.push(`held back by ${write.operation?.name}`);
      }
      if (resolver !== undefined && !resolver.startsWith(`${operation?.name}.`)) {
        wrong.push(`${resolver} in ${operation?.name}`);
      }
    });

    const pauses = [
      () => new Promise<void>((resolve) => setImmediate(resolve)),
      () => new Promise<void>((resolve) => setTimeout(resolve, 1)),
      () => new Promise<void>((resolve) => process.nextTick(resolve)),
      () => new Promise<void>((resolve) => queueMicrotask(resolve)),
    ];

    async function one(number: number): Promise<void> {
      const random = generator(number);
      const name = `op${number}`;
      const write = async (table: string, transaction?: unknown) => {
        await sequelize.query(`INSERT INTO ${table} VALUES (${number})`, { transaction } as object);
      };
      const pause = () => pauses[random(pauses.length)]!();
      const execution = new Execution({ serial: false });

      /** One resolver: writes a table of its own, at random in a transaction or two. */
      const resolver = async (table: string): Promise<void> => {
        await pause();
        const how = random(8);
        if (how === 0) {
          await sequelize.transaction(async (outer) => {
            await write(table, outer);
            await sequelize.transaction({ transaction: outer }, (inner) => write(table, inner));
          });
        } else if (how === 1) {
          await sequelize
            .transaction(async (transaction) => {
              await write('t0', transaction);
              throw new Error('rolled back');
            })
            .catch(() => undefined);
          await write(table);
        } else await write(table);
        await pause();
        const [row] = await sequelize.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM ${table} WHERE op = ${number}`,
          { type: QueryTypes.SELECT },
        );
        if (row!.n === 0) wrong.push(`${name} does not see its own ${table}`);
      };

      await reads.runOperation({ name }, async () => {
        const own = [1 + random(3), 4 + random(4)].map((index) => TABLES[index]!);
        await Promise.all(
          own.map((table) =>
            runInFrame({ resolver: `${name}.${table}`, field: execution.field(table) }, () =>
              resolver(table),
            ),
          ),
        );
        for (const { table, operation, resolver: by } of reads.history()) {
          if (operation?.name !== name || by !== `${name}.${table}`) {
            wrong.push(`${table} of ${name} is said to be by ${by} of ${operation?.name}`);
          }
        }
        const written = reads.history().map(({ table }) => table);
        if (written.sort().join() !== own.sort().join()) {
          wrong.push(`${name} wrote ${own.join()} and is said to have written ${written.join()}`);
        }
      });
    }

    let next = 0;
    const lane = async () => {
      while (next < OPERATIONS) await one(next++);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
    subscription.dispose();
    expect(wrong.slice(0, 5)).to.deep.equal([]);
    expect(reads.status().outsideOperation).to.deep.equal({ reads: 0, writes: 0 });
  });
});
