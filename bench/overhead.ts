import { DataTypes, Sequelize, type Model, type ModelStatic } from 'sequelize';
import type { FreshReads } from '../src';
import { startCluster, type Cluster } from '../src/testing';
import { builtPackage } from './built';
import { allocated, computed, timed, type Variant } from './measure';
import { replayingPg } from './replaying-client';
import { report } from './report';

const LIVE = { freshness: { mode: 'fixed', windowMs: 3_600_000 } } as const;
const MANY = Array.from({ length: 20 }, (_, index) => `other${index}`);

interface Side {
  readonly sequelize: Sequelize;
  readonly reads: FreshReads | undefined;
  readonly User: ModelStatic<Model>;
  readonly Row: ModelStatic<Model>;
}

/** One instance of Sequelize, with or without this package on it. */
async function side(cluster: Cluster, routed: boolean, replaying: boolean): Promise<Side> {
  const sequelize = new Sequelize({
    ...cluster.sequelizeOptions(),
    ...(replaying ? { dialectModule: replayingPg } : {}),
  });
  const { freshReads } = await builtPackage();
  const reads = routed ? freshReads(sequelize, LIVE) : undefined;
  await reads?.ready();
  const options = { timestamps: false };
  const User = sequelize.define('user', { name: DataTypes.TEXT }, options);
  const Row = sequelize.define('row', { a: DataTypes.TEXT, b: DataTypes.INTEGER }, options);
  return { sequelize, reads, User, Row };
}

async function onCluster(fn: (cluster: Cluster) => Promise<void>): Promise<void> {
  const cluster = await startCluster({ replicas: 1, settings: { synchronous_commit: 'off' } });
  try {
    await cluster.primary.query('CREATE TABLE users (id serial PRIMARY KEY, name text)');
    await cluster.primary.query('CREATE TABLE rows (id serial PRIMARY KEY, a text, b int)');
    for (const table of MANY) await cluster.primary.query(`CREATE TABLE ${table} (id int)`);
    await cluster.primary.query(
      "INSERT INTO users (name) SELECT 'user' || i FROM generate_series(1, 100) i",
    );
    await cluster.waitForReplicas();
    await fn(cluster);
  } finally {
    await cluster.stop();
  }
}

function reading(name: string, { User, reads }: Side, live: readonly string[]): Variant {
  const loop = async (count: number) => {
    for (let i = 0; i < count; i++) await User.findByPk((i % 10) + 1);
  };
  if (!reads) return { name, run: loop };
  return {
    name,
    run: (count) =>
      reads.runOperation({}, async () => {
        if (live.length > 0) reads.markWritten(live);
        await loop(count);
      }),
  };
}

async function readings(cluster: Cluster, replaying: boolean): Promise<[Variant[], Side[]]> {
  const plain = await side(cluster, false, replaying);
  const hooked = await side(cluster, false, replaying);
  for (const hook of ['beforePoolAcquire', 'beforeQuery'] as const) {
    hooked.sequelize.addHook(hook, () => undefined);
  }
  const quiet = await side(cluster, true, replaying);
  const busy = await side(cluster, true, replaying);
  const busier = await side(cluster, true, replaying);
  return [
    [
      reading('Sequelize alone', plain, []),
      reading('with two hooks that do nothing', hooked, []),
      reading('no live write', quiet, []),
      reading('one live write, of another table', busy, ['other0']),
      reading('20 live writes, of other tables', busier, MANY),
    ],
    [plain, hooked, quiet, busy, busier],
  ];
}

async function reads(): Promise<void> {
  await onCluster(async (cluster) => {
    const [overNetwork, real] = await readings(cluster, false);
    report('findByPk on a replica', 'us', await timed(overNetwork, { rounds: 15, count: 300 }));
    const [inMemory, stubbed] = await readings(cluster, true);
    report(
      'findByPk, without network and server',
      'us of processor time',
      await computed(inMemory, { rounds: 60, count: 1000 }),
    );
    report('findByPk, heap', 'bytes', await allocated(inMemory, { rounds: 30, count: 100 }));
    await close([...real, ...stubbed]);
  });
}

async function writes(): Promise<void> {
  await onCluster(async (cluster) => {
    const rows = Array.from({ length: 10_000 }, (_, i) => ({ a: `row number ${i}`, b: i }));
    const bulk = (name: string, { Row }: Side): Variant => ({
      name,
      run: async (count) => {
        for (let i = 0; i < count; i++) await Row.bulkCreate(rows);
      },
    });
    const sides: Side[] = [];
    for (const replaying of [false, true]) {
      const plain = await side(cluster, false, replaying);
      const routed = await side(cluster, true, replaying);
      sides.push(plain, routed);
      const variants = [bulk('Sequelize alone', plain), bulk('with this package', routed)];
      // Nothing is taken out again: a TRUNCATE is DDL, and would have the catalog read anew each time.
      const plan = { rounds: 61, count: 1 };
      if (replaying) {
        const title = 'bulkCreate of 10,000 rows, without network and server';
        report(title, 'us of processor time', await computed(variants, plan));
      } else {
        report('bulkCreate of 10,000 rows', 'us', await timed(variants, plan));
      }
    }
    await close(sides);
  });
}

async function close(sides: readonly Side[]): Promise<void> {
  for (const { sequelize } of sides) await sequelize.close();
}

export const benches = [
  { name: 'overhead/reads', run: reads },
  { name: 'overhead/writes', run: writes },
];
