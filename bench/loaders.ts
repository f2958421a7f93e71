/**
 * Loaders beside dataloader-sequelize and beside the floor (a plain findAll and a Map), on 5,000
 * parents with 200,000 children. Everything runs in one process, in turns, on one replica.
 *
 * Run with `npx tsx bench/loaders.ts`. Exits with 1 when a target is missed. With `--plain-index`
 * the children are indexed by their key alone: a limit then reads all 40 children of a parent.
 */
import { freshReads } from '../src';
import { startCluster } from '../src/testing';
import { contenders, type Contender } from './loaders-contenders';
import { fill, models } from './loaders-models';
import { median, table } from './loaders-report';

const ROUNDS = 40;
const WARM_UP = 15;

/** Both send the same query; what is above 1 is the spread of such short times. */
const NOT_SLOWER = 1.1;

interface Target {
  readonly subject: string;
  readonly against: string;
  readonly atMost: number;
}

const TARGETS: readonly Target[] = [
  {
    subject: 'hasMany, limit 5: loader',
    against: 'hasMany, limit 5: dataloader-sequelize',
    atMost: 0.35,
  },
  { subject: 'count: loader', against: 'count: dataloader-sequelize', atMost: 0.5 },
  { subject: 'primary key: loader', against: 'primary key: floor', atMost: 1.15 },
  { subject: 'hasMany: loader', against: 'hasMany: floor', atMost: 1.15 },
  { subject: 'belongsToMany: loader', against: 'belongsToMany: floor', atMost: 1.15 },
  {
    subject: 'primary key: loader',
    against: 'primary key: dataloader-sequelize',
    atMost: NOT_SLOWER,
  },
  { subject: 'hasMany: loader', against: 'hasMany: dataloader-sequelize', atMost: NOT_SLOWER },
  {
    subject: 'belongsToMany: loader',
    against: 'belongsToMany: dataloader-sequelize',
    atMost: NOT_SLOWER,
  },
  {
    subject: 'hasMany, limit 5, 2,000 parents: loader',
    against: 'hasMany, limit 5: loader',
    atMost: 10,
  },
];

async function main(): Promise<void> {
  const cluster = await startCluster({ replicas: 1, settings: { shared_buffers: '128MB' } });
  try {
    const options = { ...cluster.sequelizeOptions(), logging: false as const };
    const ours = models(options);
    const theirs = models(options);
    const index = process.argv[2] === '--plain-index' ? 'key' : 'key and id';
    await fill(ours.sequelize, index);
    await cluster.waitForReplicas();
    const reads = freshReads(ours.sequelize);
    await reads.ready();
    const times = await measure(contenders(reads, ours, theirs));
    const good = report(times);
    await ours.sequelize.close();
    await theirs.sequelize.close();
    if (!good) process.exitCode = 1;
  } finally {
    await cluster.stop();
  }
}

async function measure(all: readonly Contender[]): Promise<ReadonlyMap<string, number[]>> {
  const times = new Map(all.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    // Who runs after whom decides who pays for whose garbage: another order each round.
    const order = shuffled(all, round);
    for (const { name, run, expected } of order) {
      const start = performance.now();
      const got = await run();
      const took = performance.now() - start;
      if (got !== expected) throw new Error(`${name}: ${got} rows in place of ${expected}.`);
      if (round >= WARM_UP) times.get(name)?.push(took);
    }
  }
  return times;
}

/** The same order for the same seed. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed + 1;
  const weighted = items.map((item) => {
    state = (state * 48_271) % 2_147_483_647;
    return { item, weight: (state * 69_621) % 2_147_483_647 };
  });
  return weighted.sort((a, b) => a.weight - b.weight).map(({ item }) => item);
}

function report(times: ReadonlyMap<string, readonly number[]>): boolean {
  console.log(`Node ${process.version}, ${ROUNDS} rounds in turns, milliseconds\n`);
  console.log(
    table([
      ['', 'median', 'lowest', 'highest'],
      ...[...times].map(([name, values]) => [
        name,
        ...[median(values), Math.min(...values), Math.max(...values)].map((ms) => ms.toFixed(1)),
      ]),
    ]),
  );
  let good = true;
  const rows = TARGETS.map(({ subject, against, atMost }) => {
    const ratio = median(times.get(subject) ?? []) / median(times.get(against) ?? []);
    const met = ratio <= atMost;
    good &&= met;
    return [
      `${subject} / ${against}`,
      ratio.toFixed(2),
      `at most ${atMost}`,
      met ? 'met' : 'MISSED',
    ];
  });
  console.log(`\n${table([['', 'ratio', 'target', ''], ...rows])}`);
  return good;
}

export const benches = [{ name: 'loaders', run: main }];
