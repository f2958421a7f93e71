import { setTimeout as pause } from 'node:timers/promises';
import { TABLES, type Family } from './schema';
import type { Place, Worker } from './worker';

/** Something that clients do. Rejects with {@link Noted} when a call fails: that is recorded already. */
export interface Scenario {
  readonly name: string;
  /** How often it is chosen beside others. */
  readonly weight: number;
  run(worker: Worker): Promise<void>;
}

/** Families that any reader may read at any time: their versions never come in steps. */
const PLAIN: readonly Family[] = ['items', 'parents', 'readings', 'notes', 'quiet'];
const LIST = 12;

/** An operation that writes rows and reads them back, with reads of other tables in between. */
async function writeAndReadBack(worker: Worker): Promise<void> {
  const { app, random } = worker;
  await worker.withRow(random.pick(PLAIN), (row) =>
    worker.withRow(random.pick(PLAIN), (second) =>
      app.operation(async (place) => {
        await worker.readBack(place, row);
        await worker.write(place, row);
        await worker.readBack(place, row, random.between(1, 3));
        await readElsewhere(worker, place);
        if (random.chance(0.5)) return;
        await worker.write(place, second);
        await Promise.all([
          worker.readBack(place, row),
          worker.readBack(place, second),
          worker.readBack(place, second),
        ]);
      }),
    ),
  );
}

/** One write, and then every way to read it. */
async function everyReader(worker: Worker): Promise<void> {
  await worker.withRow(worker.random.pick(PLAIN), (row) =>
    worker.app.operation(async (place) => {
      await worker.write(place, row);
      const readers = TABLES[row.family].flatMap((table) => worker.readersFor(place, table));
      await Promise.all(
        [...new Set(readers)].map((reader) => worker.read(place, reader, [row.id])),
      );
    }),
  );
}

/** Every way to write, with a look after each. */
async function everyWriter(worker: Worker): Promise<void> {
  await worker.withRow('items', (row) =>
    worker.app.operation(async (place) => {
      for (const writer of worker.writersFor(place, row)) {
        await worker.write(place, row, writer);
        await worker.readBack(place, row);
      }
    }),
  );
}

/** The same with each write in a transaction, which may read, be rolled back or commit in its own way. */
async function transactions(worker: Worker): Promise<void> {
  const { app, random } = worker;
  await worker.withRow(random.pick(PLAIN), (row) =>
    app.operation(async (place) => {
      const fate = random.chance(0.25) ? 'rollback' : 'commit';
      await worker.transaction(place, { fate, lossy: random.chance(0.3) }, async (inside) => {
        await worker.write(inside, row);
        await worker.readBack(inside, row);
      });
      await worker.readBack(place, row, 3);
    }),
  );
}

/** Long enough for every replica to pass whatever was written before the commit. */
async function longTransaction(worker: Worker): Promise<void> {
  const { app, random } = worker;
  await worker.withRow(random.pick(PLAIN), (row) =>
    app.operation(async (place) => {
      await worker.transaction(place, { fate: 'commit' }, async (inside) => {
        await worker.write(inside, row);
        await pause(random.between(50, 600));
      });
      await worker.readBack(place, row, 3);
    }),
  );
}

/** Reads what the process has written, at all times after it, with no operation around. */
async function outside(worker: Worker): Promise<void> {
  const { random } = worker;
  const table = random.pick(PLAIN.flatMap((family) => TABLES[family]));
  const reader = worker.readerFor({}, table);
  const ids = Array.from({ length: LIST }, () => worker.rows.anyId(random));
  await worker.read({}, reader, reader.many ? [...new Set(ids)] : ids.slice(0, 1));
}

async function writeOutside(worker: Worker): Promise<void> {
  await worker.withRow(worker.random.pick(PLAIN), async (row) => {
    await worker.write({}, row);
    await worker.readBack({}, row, 2);
  });
}

/** An operation that writes nothing: replicas answer. */
async function browse(worker: Worker): Promise<void> {
  await worker.app.operation(async (place) => {
    for (let i = 0; i < 3; i++) await readElsewhere(worker, place);
  });
}

/** A queue that was made at the start of the process runs the write: it has no operation. */
async function lostContext(worker: Worker): Promise<void> {
  const { app, random } = worker;
  await worker.withRow(random.pick(PLAIN), (row) =>
    app.operation(async (place) => {
      await worker.queue(() => worker.write({}, row));
      await worker.readBack(place, row, 2);
    }),
  );
}

/** An operation opened inside another one is part of it. */
async function nested(worker: Worker): Promise<void> {
  const { app, random } = worker;
  await worker.withRow(random.pick(PLAIN), (row) =>
    app.operation(async (place) => {
      await app.run({ name: 'inner' }, () => worker.write(place, row));
      await worker.readBack(place, row, 2);
    }),
  );
}

/** Goes on reading a write back while the replicas get it, one after the other. */
async function patient(worker: Worker): Promise<void> {
  const { app, random } = worker;
  await worker.withRow(random.pick(PLAIN), (row) =>
    app.operation(async (place) => {
      await worker.write(place, row);
      const longest = random.pick([10, 30, 80]);
      for (let i = 0; i < 15; i++) {
        await pause(random.between(0, longest));
        await worker.readBack(place, row);
      }
    }),
  );
}

/** Read-only transactions are one read of tables that nobody knows at their start. */
async function readOnly(worker: Worker): Promise<void> {
  const { app, random } = worker;
  await worker.withRow(random.pick(PLAIN), (row) =>
    app.operation(async (place) => {
      await worker.write(place, row);
      const plan = { options: { readOnly: true }, fate: 'commit' } as const;
      await worker.transaction(place, plan, (inside) => worker.readBack(inside, row, 2));
    }),
  );
}

/** Two operations in a row: what the second one's helper reads decides what it writes. */
async function helpers(worker: Worker): Promise<void> {
  const { app } = worker;
  await worker.withRow('tags', async (row) => {
    for (let i = 0; i < 2; i++) {
      await app.operation(async (place) => {
        await worker.write(place, row);
        await worker.readBack(place, row, 2);
      });
    }
  });
}

export const GENERAL: readonly Scenario[] = [
  { name: 'write and read back', weight: 10, run: writeAndReadBack },
  { name: 'every reader', weight: 4, run: everyReader },
  { name: 'every writer', weight: 1, run: everyWriter },
  { name: 'transactions', weight: 5, run: transactions },
  { name: 'long transaction', weight: 2, run: longTransaction },
  { name: 'outside', weight: 14, run: outside },
  { name: 'browse', weight: 8, run: browse },
  { name: 'write outside', weight: 0.5, run: writeOutside },
  { name: 'lost context', weight: 0.5, run: lostContext },
  { name: 'nested', weight: 2, run: nested },
  { name: 'patient', weight: 5, run: patient },
  { name: 'read only', weight: 2, run: readOnly },
  { name: 'helpers', weight: 2, run: helpers },
];

/** Reads of tables that the operation did not write. */
async function readElsewhere(worker: Worker, place: Place): Promise<void> {
  const { random } = worker;
  for (let i = random.between(1, 3); i > 0; i--) {
    const table = random.pick(PLAIN.flatMap((family) => TABLES[family]));
    await worker.read(place, worker.readerFor(place, table), [worker.rows.anyId(random)]);
  }
}
