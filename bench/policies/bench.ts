import { writeFile } from 'node:fs/promises';
import type { BenchOptions } from '../index';
import { keep } from '../report';
import { Bed } from './bed';
import { chartOf } from './chart';
import {
  alwaysReplica,
  primaryForMutations,
  requestSticky,
  tableWindow,
  tableWindowOfUser,
  userPinned,
} from './classic';
import { measureLag } from './lag';
import { ours } from './ours';
import type { Policy } from './policy';
import { replay, type Replayed } from './replay';
import { summarise, tableOf, type Line } from './summary';
import { userPosition } from './user-position';
import { firstSeconds } from './workload';
import { recordedWorkload } from './workload-file';

const WARM_UP_SECONDS = 3;
/** An idle machine starts nearly all operations within a few milliseconds. */
const LATE_MS = 20;

/** The recorded workload under every policy, one after the other on the same cluster. */
async function policies({ seconds, rounds = 1, svg }: BenchOptions): Promise<void> {
  const recorded = recordedWorkload();
  const workload = seconds === undefined ? recorded : firstSeconds(recorded, seconds);
  const bed = await Bed.open(workload);
  try {
    const mutations = workload.operations.filter(({ kind }) => kind === 'mutation').length;
    console.log(
      `\n${workload.operations.length} operations of ${workload.users} users in ${workload.seconds} s ` +
        `(${((100 * mutations) / workload.operations.length).toFixed(1)} % mutations), ` +
        `${workload.tables.length} tables, two replicas ${workload.lagMs} ms behind, ` +
        `${workload.stalls.length} stalls`,
    );
    const lag = await measureLag(bed);
    const windowMs = Math.ceil(lag.p999);
    console.log(
      `lag measured through the stalls, in ms: p50 ${lag.p50.toFixed(0)}, p99 ${lag.p99.toFixed(0)}, ` +
        `p99.9 ${lag.p999.toFixed(0)}; the fixed window is this p99.9, ${windowMs} ms`,
    );
    const contenders: readonly Policy[] = [
      alwaysReplica,
      primaryForMutations,
      requestSticky,
      userPinned(2000),
      userPosition,
      tableWindow(windowMs),
      tableWindowOfUser(windowMs),
      ours(0),
      ours(10),
      ours(25),
    ];
    // What all of them share gets compiled; counts for none.
    await replay(alwaysReplica, bed, firstSeconds(workload, WARM_UP_SECONDS));
    const results = new Map<Policy, Replayed[]>(contenders.map((policy) => [policy, []]));
    for (let round = 0; round < rounds; round++) {
      for (const policy of contenders) results.get(policy)?.push(await replay(policy, bed));
    }
    const lines = [...results.values()].map(summarise);
    tell(lines);
    keep({ title: 'policies', windowMs, lag, rounds, lines });
    if (svg !== undefined) await writeFile(svg, chartOf(lines));
  } finally {
    await bed.close();
  }
}

function tell(lines: readonly Line[]): void {
  console.log(`\n${tableOf(lines)}`);
  console.log(
    "\nreads: scans of the application's tables by each server's pg_stat_user_tables, the primary's " +
      'less one for each of its updates\nstale: less than the operation itself had committed, or an ' +
      'operation whose response its user had before\noverlapping: less than another operation of the ' +
      'user had committed and not yet answered\nquery, mutation: ms from request to response; waits: ' +
      "reads held back, mean in ms; processor: of the application's process; late: how much later than recorded " +
      'operations began, in ms',
  );
  for (const { policy, readsCounted, readsAnswered } of lines) {
    if (readsCounted === readsAnswered) continue;
    console.log(
      `${policy}: the servers counted ${readsCounted.toFixed(0)} reads, the application had ` +
        `${readsAnswered.toFixed(0)} answers`,
    );
  }
  const late = lines.filter(({ lateP99 }) => lateP99 > LATE_MS).map(({ policy }) => policy);
  if (late.length > 0) {
    console.log(`this machine was too busy for times to mean much under: ${late.join('; ')}`);
  }
  const last = lines.at(-1);
  for (const { policy, primaryShare } of last ? lines.slice(0, -1) : []) {
    if (!last || primaryShare.middle === 0) continue;
    const times = last.primaryShare.middle / primaryShare.middle;
    console.log(`reads on the primary, ${last.policy} to ${policy}: ${times.toFixed(3)}`);
  }
}

export const benches = [{ name: 'policies', run: policies }];
