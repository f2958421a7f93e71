import { setTimeout as pause } from 'node:timers/promises';
import { READERS } from './readers';
import type { Row } from './rows';
import type { Scenario } from './scenarios';
import { registersOf } from './schema';
import type { Place, Worker } from './worker';

const isPresent = ({ present }: Row): boolean => present;

/** A batch on its way while a write commits must not answer loads after it. */
async function inFlightBatch(worker: Worker): Promise<void> {
  const { app, random } = worker;
  if (!app.loaders) return;
  const reader = READERS.find(({ what }) => what === 'loaders.item');
  if (!reader) return;
  await worker.withRow(
    'items',
    (row) =>
      app.operation(async (place) => {
        await worker.read(place, reader, [row.id]);
        const plan = { fate: 'commit' } as const;
        // Answered, and cached, between the statement and its commit.
        await worker.transaction(place, plan, async (inside) => {
          await worker.write(inside, row);
          await worker.read(place, reader, [row.id]);
        });
        await worker.read(place, reader, [row.id]);
        const writing = worker.write(place, row);
        const loading = worker.read(place, reader, [row.id]);
        await Promise.all([writing, loading]);
        await worker.read(place, reader, [row.id]);
        await pause(random.between(0, 100));
        await worker.read(place, reader, [row.id]);
      }),
    isPresent,
  );
}

/** A row loaded before a write is primed after it. */
async function primedLate(worker: Worker): Promise<void> {
  const { loaders } = worker.app;
  if (!loaders) return;
  await worker.withRow('items', (row) =>
    worker.app.operation(async (place) => {
      const item = READERS.find(({ what }) => what === 'loaders.item');
      let before: unknown;
      await worker.recorder.read(place, 'load to prime with', [], async () => {
        before = await loaders.item.load(row.id);
        return {};
      });
      await worker.write(place, row);
      loaders.item.prime(row.id, before);
      if (item) await worker.read(place, item, [row.id]);
    }),
  );
}

/** Each change of definitions makes every process doubt all it knows of them for a while. */
const TRIGGER_PAUSE_MS = [4000, 8000] as const;
const TRIGGER_ARRIVES_MS = [200, 1200] as const;

/** The definition of a trigger comes into being in the operation that relies on it. */
async function newTrigger(worker: Worker): Promise<void> {
  const { app, recorder, random } = worker;
  const name = `copies_${recorder.process}`;
  const run = (sql: string) => app.sequelize.query(sql).then(() => ({}));
  await worker.alone('trigger', async () => {
    await worker.pauseOrEnd(random.between(...TRIGGER_PAUSE_MS));
    await worker.withRow('late', (row) =>
      app.operation(async (place) => {
        await recorder.read(place, 'CREATE TRIGGER', [], () =>
          run(
            `CREATE OR REPLACE TRIGGER ${name} AFTER UPDATE ON late FOR EACH ROW EXECUTE FUNCTION copy_late()`,
          ),
        );
        try {
          // Long enough for replicas to have the trigger, and with it all that was written before.
          await worker.pauseOrEnd(random.between(...TRIGGER_ARRIVES_MS));
          await writeLate(worker, place, row);
          const reader = READERS.find(({ tables }) => tables.includes('late_copies'));
          for (let i = 0; i < 3; i++) if (reader) await worker.read(place, reader, [row.id]);
        } finally {
          await recorder.read(place, 'DROP TRIGGER', [], () =>
            run(`DROP TRIGGER IF EXISTS ${name} ON late`),
          );
        }
      }),
    );
  });
}

async function writeLate(worker: Worker, place: Place, row: Row): Promise<void> {
  await worker.write(place, row, {
    ...{ what: 'UPDATE late', family: 'late' },
    run: (app, { id }, version) =>
      app.sequelize.query(`UPDATE late SET version = ${version} WHERE id = ${id}`),
  });
}

/** How long the server goes on with a write after its client has gone, in seconds. */
const ABANDONED_S = 0.4;

/**
 * The connection is lost while the server is at work on a write, which is committed all the same. Its
 * outcome becomes known by asking the primary, past the router; from then on reads have to show it.
 */
async function unknownOutcome(worker: Worker): Promise<void> {
  const { app, recorder, rows, random } = worker;
  const row = rows.take('readings', random);
  if (!row) return;
  await app.operation(async (place) => {
    const version = ++row.handedOut;
    const id = recorder.name('w');
    const registers = registersOf('readings', row.id);
    const what = 'UPDATE on a connection that is lost';
    recorder.note('write', { id, what, version, sets: registers, operation: place.operation });
    const sql = `UPDATE readings SET version = ${version} WHERE id = ${row.id} AND pg_sleep(${ABANDONED_S}) IS NOT NULL`;
    await app.runAndCut(sql);
    const seen = await pollPrimary(worker, row, version);
    recorder.settle(id, seen ? 'committed' : 'unknown');
    if (!seen) return;
    // Known to be there: the router has to know as soon as the server's process is gone.
    await worker.readBack(place, row, 2);
    row.committed = version;
    rows.giveBack(row);
    for (let i = 0; i < 4; i++) {
      await pause(random.between(20, 200));
      await worker.readBack(place, row);
    }
  });
}

async function pollPrimary(worker: Worker, row: Row, version: number): Promise<boolean> {
  for (let tries = 0; tries < 60; tries++) {
    await pause(20);
    const sql = `SELECT version FROM readings WHERE id = ${row.id}`;
    const [found] = await worker.app.direct(sql).catch(() => []);
    if (found?.['version'] === version) return true;
  }
  return false;
}

export const SPECIAL: readonly Scenario[] = [
  { name: 'in-flight batch', weight: 3, run: inFlightBatch },
  { name: 'primed late', weight: 1, run: primedLate },
  { name: 'new trigger', weight: 0.4, run: newTrigger },
  { name: 'unknown outcome', weight: 1.5, run: unknownOutcome },
];
