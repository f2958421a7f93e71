import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as clockSource from '../../src/clock';
import type * as freshnessSource from '../../src/freshness';
import type { ProbeConnection } from '../../src/freshness';
import { Random } from '../policies/random';
import { keep } from '../report';
import { probeCost } from './probe-cost';
import { VirtualClock } from './virtual-clock';

const LAG_MS = 20;
const ROUND_TRIP_MS = 0.5;
const WARM_UP_MS = 500;
const MEASURED_MS = 1500;
const REPLICAS = ['replica1', 'replica2'];
const WAL_BYTES_PER_MS = 4096;
/** Somewhere in the log, so that no position is 0. */
const START = 0x1000000;

interface Fleet {
  readonly processes: number;
  /** Of all processes together. */
  readonly writesPerSecond: number;
  readonly probeIntervalMs: number;
}

interface ProbeRates extends Fleet {
  /** Of all processes together, a second. */
  readonly primary: number;
  readonly eachReplica: number;
}

const FLEETS: readonly Fleet[] = [
  ...[1, 10, 100, 1000].flatMap((processes) =>
    [100, 1000, 10_000].map((writesPerSecond) => ({
      processes,
      writesPerSecond,
      probeIntervalMs: 10,
    })),
  ),
  { processes: 1000, writesPerSecond: 10_000, probeIntervalMs: 50 },
  { processes: 1000, writesPerSecond: 10_000, probeIntervalMs: 200 },
];

/**
 * What one probe costs a server, and how many come from many processes: each has the package's own
 * rules, in simulated time.
 */
export async function probes(): Promise<void> {
  const cost = await probeCost();
  console.log(
    `\nprobes a second of all processes together, simulated: replicas ${LAG_MS} ms behind, ` +
      `${ROUND_TRIP_MS} ms a question; and the processor cores that they take`,
  );
  console.log('  processes  writes/s  interval ms  on the primary  cores  on each replica  cores');
  const rates: ProbeRates[] = [];
  for (const one of FLEETS) {
    const measured = await simulate(one);
    rates.push(measured);
    const { primary, eachReplica } = measured;
    const cells = [
      String(one.processes).padStart(11),
      String(one.writesPerSecond).padStart(10),
      String(one.probeIntervalMs).padStart(13),
      primary.toFixed(0).padStart(16),
      ((primary * cost.primary) / 1e6).toFixed(2).padStart(7),
      eachReplica.toFixed(0).padStart(17),
      ((eachReplica * cost.replica) / 1e6).toFixed(2).padStart(7),
    ];
    console.log(cells.join(''));
  }
  keep({ title: 'scale/probes', lagMs: LAG_MS, roundTripMs: ROUND_TRIP_MS, cost, rates });
}

async function simulate(setup: Fleet): Promise<ProbeRates> {
  const load = createRequire(__filename);
  const dist = join(__dirname, '..', '..', 'dist');
  const { Proven } = load(join(dist, 'freshness')) as typeof freshnessSource;
  const clock = new VirtualClock();
  const restore = clock.install(load(join(dist, 'clock')) as typeof clockSource);
  const random = new Random(1);
  const counts = new Map<string, number>();
  const fleet = Array.from({ length: setup.processes }, () => {
    let seq = 0;
    const proven = new Proven(
      {
        primary: 'primary',
        replicas: REPLICAS,
        openProbe: async (node) => connectionTo(node, clock, counts),
        logicalTime: () => seq,
        onWarning(message) {
          throw new Error(message);
        },
      },
      { probeIntervalMs: setup.probeIntervalMs, heartbeat: undefined },
    );
    const gapMs = (1000 * setup.processes) / setup.writesPerSecond;
    const commit = () => {
      proven.committed({ seq: ++seq, at: clock.now() });
      clock.later(random.gap(gapMs), commit);
    };
    clock.later(random.gap(gapMs), commit);
    return proven;
  });
  try {
    await clock.run(WARM_UP_MS);
    counts.clear();
    await clock.run(WARM_UP_MS + MEASURED_MS);
  } finally {
    const closing = Promise.all(fleet.map((proven) => proven.close()));
    restore();
    await closing;
  }
  const perSecond = (node: string) => ((counts.get(node) ?? 0) * 1000) / MEASURED_MS;
  const replicas = REPLICAS.map(perSecond);
  return {
    ...setup,
    primary: perSecond('primary'),
    eachReplica: replicas.reduce((sum, rate) => sum + rate, 0) / replicas.length,
  };
}

/** A node that is as far as its time says, and answers after a round trip. */
function connectionTo(
  node: string,
  clock: VirtualClock,
  counts: Map<string, number>,
): ProbeConnection {
  const standby = node !== 'primary';
  return {
    query() {
      counts.set(node, (counts.get(node) ?? 0) + 1);
      const at = clock.now() + ROUND_TRIP_MS / 2 - (standby ? LAG_MS : 0);
      const position = lsn(START + Math.floor(Math.max(at, 0) * WAL_BYTES_PER_MS));
      const row = {
        standby: String(standby),
        process: '1',
        started: node,
        port: '5432',
        system: '1',
        page: '8192',
        written: standby ? null : position,
        flushed: standby ? null : position,
        writes: standby ? null : '00000001',
        replayed: standby ? position : null,
        follows: standby ? '1' : null,
      };
      return new Promise((resolve) => void clock.later(ROUND_TRIP_MS, () => resolve([row])));
    },
    onLost: () => undefined,
    close: () => Promise.resolve(),
  };
}

function lsn(position: number): string {
  return `${Math.floor(position / 2 ** 32).toString(16)}/${(position % 2 ** 32).toString(16)}`;
}
