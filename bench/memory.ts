import { Sequelize } from 'sequelize';
import type { FreshReads } from '../src';
import { startCluster } from '../src/testing';
import { builtPackage } from './built';
import { figuresOf } from './figures';
import { garbageCollector } from './measure';
import { report } from './report';

const RUNS = 7;
const OPERATIONS = 10_000;
const TABLES = Array.from({ length: 30 }, (_, index) => `table${index}`);
/** A token with more of them says "everything". */
const MOST_IN_A_TOKEN = 16;

/** Brings into being what is to be weighed; it stays until the function it gives is called. */
type Hold = () => () => void;

/** Bytes of the heap that each of the things holds while it is there, over several runs. */
async function held(things: Readonly<Record<string, Hold>>): Promise<Record<string, number[][]>> {
  const collect = garbageCollector();
  const runs: Record<string, number[][]> = {};
  // The first round compiles.
  for (let run = -1; run < RUNS; run++) {
    for (const [name, hold] of Object.entries(things)) {
      await settle();
      collect();
      const before = process.memoryUsage().heapUsed;
      const release = hold();
      await settle();
      collect();
      const bytes = (process.memoryUsage().heapUsed - before) / OPERATIONS;
      release();
      if (run >= 0) (runs[name] ??= []).push([bytes]);
    }
  }
  return runs;
}

/** Promises that were resolved have gone their way. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Many at once of what `open` begins; each ends when the promise it is given does. */
function many(open: (ended: Promise<void>) => Promise<void>): Hold {
  return () => {
    const ends: (() => void)[] = [];
    // Each has a promise of its own, as each request waits for something else.
    for (let i = 0; i < OPERATIONS; i++) {
      void open(new Promise((resolve) => ends.push(resolve)));
    }
    return () => {
      for (const end of ends) end();
    };
  };
}

function operationThat(reads: FreshReads, begin: () => void, token?: string): Hold {
  return many((ended) =>
    reads.runOperation({ kind: 'query', token }, async () => {
      begin();
      await ended;
    }),
  );
}

async function memory(): Promise<void> {
  const { freshReads } = await builtPackage();
  const cluster = await startCluster({ replicas: 1 });
  const sequelize = new Sequelize(cluster.sequelizeOptions());
  try {
    for (const table of TABLES) await cluster.primary.query(`CREATE TABLE ${table} (id int)`);
    await cluster.waitForReplicas();
    const reads = freshReads(sequelize, {
      freshness: { mode: 'fixed', windowMs: 3_600_000 },
      sessionSecret: 'a secret of this benchmark only',
    });
    await reads.ready();
    const [first = ''] = TABLES;
    const tokenOf = (tables: readonly string[]) =>
      reads.runOperation({}, () => {
        reads.markWritten(tables);
        return reads.token();
      });
    const small = await tokenOf([first]);
    const large = await tokenOf(TABLES.slice(0, MOST_IN_A_TOKEN));
    // Nobody else's writes: what the process remembers of these tables is there before it starts.
    reads.markWritten(TABLES);
    const runs = await held({
      'a pending async function': many(async (ended) => {
        await ended;
      }),
      'an open operation': operationThat(reads, () => undefined),
      'one that has written 1 table': operationThat(reads, () => reads.markWritten([first])),
      'one that has written 30 tables': operationThat(reads, () => reads.markWritten(TABLES)),
      'one with a token of 1 table': operationThat(reads, () => undefined, small),
      [`one with a token of ${MOST_IN_A_TOKEN} tables`]: operationThat(
        reads,
        () => undefined,
        large,
      ),
    });
    report(`held by each of ${OPERATIONS} open operations`, 'bytes', figuresOf(runs, 0.5));
  } finally {
    await sequelize.close();
    await cluster.stop();
  }
}

export const benches = [{ name: 'memory', run: memory }];
