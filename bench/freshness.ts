import { Client } from 'pg';
import { Sequelize } from 'sequelize';
import type { FreshReads } from '../src';
import { startCluster, type Cluster, type ReplicaNode } from '../src/testing';
import { builtPackage } from './built';
import { figuresOf } from './figures';
import { report } from './report';

const APP = 'fresh-reads-bench';
const RUNS = 7;

interface Bed {
  readonly cluster: Cluster;
  readonly replica: ReplicaNode;
  readonly sequelize: Sequelize;
  readonly reads: FreshReads;
}

async function onCluster(fn: (bed: Bed) => Promise<void>): Promise<void> {
  const cluster = await startCluster({ replicas: 1 });
  const sequelize = new Sequelize({
    ...cluster.sequelizeOptions(),
    dialectOptions: { application_name: APP },
  });
  try {
    await cluster.primary.query('CREATE TABLE rows (id int PRIMARY KEY, version int)');
    await cluster.primary.query('CREATE TABLE others (id serial, filler text)');
    await cluster.primary.query('INSERT INTO rows SELECT i, 0 FROM generate_series(1, 10) i');
    await cluster.waitForReplicas();
    const { freshReads } = await builtPackage();
    const reads = freshReads(sequelize);
    await reads.ready();
    const [replica] = cluster.replicas;
    if (replica) await fn({ cluster, replica, sequelize, reads });
  } finally {
    await sequelize.close();
    await cluster.stop();
  }
}

/** A connection of its own that polls the standby, and nothing else. */
class Watcher {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async on({ host, port, user, password, database }: ReplicaNode): Promise<Watcher> {
    const client = new Client({ host, port, user, password, database });
    await client.connect();
    return new Watcher(client);
  }

  /** Resolves at the moment at which the standby shows `version`. */
  async sees(version: number): Promise<number> {
    const sql = `SELECT version >= ${version} AS there FROM rows WHERE id = 1`;
    for (;;) {
      const { rows } = await this.#client.query<{ there: boolean }>(sql);
      if (rows[0]?.there) return performance.now();
    }
  }

  async end(): Promise<void> {
    await this.#client.end();
  }
}

interface Delay {
  /** Until a poll of the standby showed the row. */
  readonly arrived: number;
  /** Until this package let replicas serve the table again. */
  readonly served: number;
}

/** Milliseconds from the commit's acknowledgement on. */
async function delayOf(
  { sequelize, reads }: Bed,
  watcher: Watcher,
  version: number,
): Promise<Delay> {
  return reads.runOperation({}, async () => {
    await sequelize.query(`UPDATE rows SET version = ${version} WHERE id = 1`);
    const from = performance.now();
    const arriving = watcher.sees(version);
    // What routing asks too, without a query of its own: the table is live no more.
    while (reads.history().length > 0) await new Promise((resolve) => setImmediate(resolve));
    const served = performance.now() - from;
    return { arrived: (await arriving) - from, served };
  });
}

let versions = 0;

async function delays(bed: Bed, lagMs: number, samples: number): Promise<void> {
  await bed.replica.setLag(lagMs);
  const watcher = await Watcher.on(bed.replica);
  const next = async () => {
    // A probe that was a moment ago delays the next one, by an interval at most: by chance, as in life.
    await new Promise((resolve) => setTimeout(resolve, 20 * Math.random()));
    return delayOf(bed, watcher, ++versions);
  };
  // The first finds its connections; the next ones find out the usual lag.
  for (let i = 0; i < 5; i++) await next();
  const runs: Delay[][] = [];
  for (let run = 0; run < RUNS; run++) {
    const one: Delay[] = [];
    for (let i = 0; i < samples; i++) one.push(await next());
    runs.push(one);
  }
  await watcher.end();
  for (const [what, share] of [
    ['median', 0.5],
    [samples < 100 ? 'slowest' : 'p99', samples < 100 ? 1 : 0.99],
  ] as const) {
    report(
      `lag of ${lagMs} ms: commit to first read on the replica, ${what} of ${samples}`,
      'ms',
      figuresOf(
        {
          'row is there (direct poll)': runs.map((one) => one.map(({ arrived }) => arrived)),
          'replica serves the table': runs.map((one) => one.map(({ served }) => served)),
        },
        share,
      ),
    );
  }
}

async function lags(): Promise<void> {
  await onCluster(async (bed) => {
    await delays(bed, 0, 100);
    await delays(bed, 20, 40);
    await delays(bed, 100, 15);
    await delays(bed, 1000, 3);
  });
}

/** Another client's open transaction, writing all the time: WAL that nobody flushes. */
async function heldUp(): Promise<void> {
  await onCluster(async (bed) => {
    const { host, port, user, password, database } = bed.cluster.primary;
    const other = new Client({ host, port, user, password, database });
    await other.connect();
    await other.query('BEGIN');
    const ended = new AbortController();
    const writing = (async () => {
      while (!ended.signal.aborted) await other.query(`INSERT INTO others (filler) VALUES ('x')`);
    })();
    console.log('\nwhile another transaction holds unflushed writes:');
    await delays(bed, 0, 100);
    ended.abort();
    await writing;
    await other.end();
  });
}

/** Statements of the probe of the primary while `work` goes on, a second. */
async function probesDuring(
  statements: { count: number },
  work: () => Promise<unknown>,
): Promise<number> {
  const before = statements.count;
  const from = performance.now();
  await work();
  return ((statements.count - before) * 1000) / (performance.now() - from);
}

/** Counts what is sent to the primary by connections that ask for its position. */
function countProbes(port: number): { count: number; restore(): void } {
  const prototype = Client.prototype as { query: (this: Client, ...args: unknown[]) => unknown };
  const { query } = prototype;
  const counter = { count: 0, restore: () => void (prototype.query = query) };
  prototype.query = function (...args) {
    // A probe's text, or with its name when it is a prepared statement.
    const [first] = args as [string | { readonly text?: string }];
    const text = typeof first === 'string' ? first : (first.text ?? '');
    const asks = /pg_current_wal_insert_lsn|emit_message/.test(text);
    if (asks && this.port === port) counter.count++;
    return query.apply(this, args);
  };
  return counter;
}

async function probes(): Promise<void> {
  await onCluster(async (bed) => {
    const { sequelize, cluster } = bed;
    const counter = countProbes(cluster.primary.port);
    const paces: Record<string, number> = {
      '1000 writes/s': 1000,
      '10 writes/s': 10,
      'at rest': 0,
    };
    const seen: Record<string, number[][]> = {};
    const written: Record<string, number[][]> = {};
    for (let run = 0; run < RUNS; run++) {
      for (const [name, perSecond] of Object.entries(paces)) {
        let count = 0;
        const rate = await probesDuring(counter, async () => {
          count = await writeAt(sequelize, perSecond, 1500);
        });
        (seen[name] ??= []).push([rate]);
        (written[name] ??= []).push([count / 1.5]);
      }
    }
    counter.restore();
    report('writes that were made', 'a second', figuresOf(written, 0.5));
    report('statements of probes on the primary', 'a second', figuresOf(seen, 0.5));
  });
}

/** Writes at a steady pace for `ms`; gives how many. */
async function writeAt(sequelize: Sequelize, perSecond: number, ms: number): Promise<number> {
  const from = performance.now();
  let sent = 0;
  const running = new Set<Promise<unknown>>();
  for (;;) {
    const elapsed = performance.now() - from;
    if (elapsed >= ms) break;
    const due = Math.floor((elapsed * perSecond) / 1000);
    for (; sent < due && running.size < 50; sent++) {
      const id = (sent % 10) + 1;
      const writing = sequelize
        .query(`UPDATE rows SET version = version + 1 WHERE id = ${id}`)
        .finally(() => running.delete(writing));
      running.add(writing);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
  return sent;
}

export const benches = [
  { name: 'freshness/lags', run: lags },
  { name: 'freshness/held-up', run: heldUp },
  { name: 'freshness/probes', run: probes },
];
