import { startCluster } from '../src/testing';
import { builtPackage } from './built';
import { figuresOf, quantile } from './figures';
import { builtLoaders } from './loaders-built';
import {
  FLOOR,
  MANY_PARENTS,
  OURS,
  THEIRS,
  questions,
  type Contender,
  type Question,
} from './loaders-contenders';
import { fill, models } from './loaders-models';
import { table } from './loaders-report';
import { report } from './report';

const ROUNDS = 21;
/** Until the code that runs once a batch is compiled too, as it is in a server that has been up for a while. */
const WARM_UP = 30;
/** Of the calls of a round the lower quartile: one that waited for other programs is not our matter. */
const UNDISTURBED = 0.25;

/** Of a plain findAll and a Map: what a loader may take for being asked key by key. */
const NEAR_FLOOR = 1.15;

interface Target {
  readonly question: string;
  readonly subject: string;
  readonly against: string;
  readonly atMost: number;
}

const TARGETS: readonly Target[] = [
  ...['by primary key', 'belongsTo', 'hasMany', 'belongsToMany'].flatMap((question) => [
    { question, subject: OURS, against: FLOOR, atMost: NEAR_FLOOR },
    { question, subject: OURS, against: THEIRS, atMost: 1 },
  ]),
  { question: 'hasMany, limit 5', subject: OURS, against: THEIRS, atMost: 0.35 },
  { question: 'hasMany, limit 5', subject: MANY_PARENTS, against: OURS, atMost: 10 },
  {
    question: 'hasMany, limit 5, index on the key alone',
    subject: OURS,
    against: THEIRS,
    atMost: 1,
  },
  { question: 'count', subject: OURS, against: THEIRS, atMost: 0.5 },
];

/** Milliseconds a call. */
interface Samples {
  /** Of each round the calls, by the clock. */
  readonly clock: number[][];
  /** Of each round the mean, in processor time of this process: the server's is not in it. */
  readonly processor: number[][];
}

/**
 * Loaders beside dataloader-sequelize and beside the floor, a plain findAll and a Map, on 5,000
 * parents with 200,000 children: all in one process, in turns, on one replica.
 */
async function main(): Promise<void> {
  const { freshReads } = await builtPackage();
  const cluster = await startCluster({ replicas: 1, settings: { shared_buffers: '128MB' } });
  try {
    const options = { ...cluster.sequelizeOptions(), logging: false as const };
    const ours = models(options);
    const theirs = models(options);
    await fill(ours.sequelize);
    await cluster.waitForReplicas();
    const reads = freshReads(ours.sequelize);
    await reads.ready();
    const asked = questions(await builtLoaders(), reads, ours, theirs);
    const good = tell(asked, await measure(asked));
    await ours.sequelize.close();
    await theirs.sequelize.close();
    if (!good) process.exitCode = 1;
  } finally {
    await cluster.stop();
  }
}

/**
 * All questions each round. The contenders of one answer in turns, call by call, so that what slows
 * the machine down slows all of them; who follows whom decides who pays for whose garbage, so it is
 * another order each time.
 */
async function measure(all: readonly Question[]): Promise<ReadonlyMap<Contender, Samples>> {
  const samples = new Map<Contender, Samples>();
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const question of shuffled(all, round)) {
      for (const [contender, { clock, processor }] of await askedInTurns(question, round)) {
        if (round < WARM_UP) continue;
        const own = samples.get(contender) ?? { clock: [], processor: [] };
        samples.set(contender, own);
        own.clock.push(clock);
        own.processor.push([processor / question.calls]);
      }
    }
  }
  return samples;
}

async function askedInTurns({ name, calls, contenders }: Question, round: number) {
  const taken = new Map(contenders.map((one) => [one, { clock: [] as number[], processor: 0 }]));
  for (let call = 0; call < calls; call++) {
    for (const [contender, own] of shuffled([...taken], round * calls + call)) {
      const before = process.cpuUsage();
      own.clock.push(await timeOf(name, contender));
      const { user, system } = process.cpuUsage(before);
      own.processor += (user + system) / 1000;
    }
  }
  return taken;
}

async function timeOf(question: string, { name, run, expected }: Contender): Promise<number> {
  const start = performance.now();
  const got = await run();
  const took = performance.now() - start;
  if (got === expected) return took;
  throw new Error(`${question}, ${name}: ${got} rows in place of ${expected}.`);
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

function tell(all: readonly Question[], samples: ReadonlyMap<Contender, Samples>): boolean {
  console.log(`Node ${process.version}, ${ROUNDS} rounds in turns, 200 parents`);
  for (const { name, contenders } of all) {
    const runs = contenders.map((one) => [one.name, samples.get(one)?.clock ?? []] as const);
    report(`loaders: ${name}`, 'ms', figuresOf(Object.fromEntries(runs), UNDISTURBED));
  }
  let good = true;
  const rows = TARGETS.map(({ question, subject, against, atMost }) => {
    const pair = [against, subject].map((name) => samplesOf(all, samples, question, name));
    const clock = ratio(pair.map((own) => own.clock));
    const met = clock.median <= atMost;
    good &&= met;
    return [
      `${question}: ${subject} / ${against}`,
      clock.median.toFixed(2),
      `${clock.low.toFixed(2)} .. ${clock.high.toFixed(2)}`,
      ratio(pair.map((own) => own.processor)).median.toFixed(2),
      `at most ${atMost}`,
      met ? 'met' : 'MISSED',
    ];
  });
  console.log('\nRatios within one round: median, middle half, and that of processor time here');
  console.log(table([['', 'ratio', 'half', 'processor', 'target', ''], ...rows]));
  return good;
}

function samplesOf(
  all: readonly Question[],
  samples: ReadonlyMap<Contender, Samples>,
  question: string,
  name: string,
): Samples {
  const asked = all.find((one) => one.name === question);
  const contender = asked?.contenders.find((one) => one.name === name);
  const own = contender && samples.get(contender);
  if (own) return own;
  throw new Error(`there is no ${name} in ${JSON.stringify(question)}`);
}

/** The second one's rounds against the same rounds of the first one. */
function ratio([against = [], subject = []]: readonly number[][][]) {
  const ratios = subject.map(
    (calls, round) => quantile(calls, UNDISTURBED) / quantile(against[round] ?? [], UNDISTURBED),
  );
  return {
    low: quantile(ratios, 0.25),
    median: quantile(ratios, 0.5),
    high: quantile(ratios, 0.75),
  };
}

export const benches = [{ name: 'loaders', run: main }];
