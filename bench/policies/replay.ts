import { setTimeout as sleep } from 'node:timers/promises';
import type { Bed } from './bed';
import { readsCounted, type NodeReads } from './counters';
import { playStalls } from './lag-schedule';
import { runWaves } from './operation';
import type { Policy, PolicyRun } from './policy';
import { UserWrites, type Freshness } from './staleness';
import type { RecordedOperation, Workload } from './workload';

/** What one replay of the workload under one policy gave. */
export interface Replayed {
  readonly policy: string;
  /** By the servers' own counters. */
  readonly counted: NodeReads;
  /** Reads that the application had answers to. */
  readonly reads: number;
  readonly stale: number;
  readonly overlapping: number;
  /** Milliseconds from the request to the response. */
  readonly queries: readonly number[];
  readonly mutations: readonly number[];
  /** Milliseconds that reads were held back. */
  readonly waits: readonly number[];
  /** Milliseconds by which operations began later than recorded: how busy this machine was. */
  readonly late: readonly number[];
  /** Seconds of processor time that the application's process took. */
  readonly processorTime: number;
}

/** Replays the recorded operations at their recorded times, while the replicas stall at theirs. */
export async function replay(
  policy: Policy,
  bed: Bed,
  workload: Workload = bed.workload,
): Promise<Replayed> {
  const { cluster } = bed;
  await cluster.waitForReplicas();
  const counted = await readsCounted(cluster);
  const run = await policy.start(bed);
  const endStalls = playStalls(cluster, workload.stalls);
  const before = process.cpuUsage();
  let replayed: Omit<Replayed, 'policy' | 'counted' | 'waits' | 'processorTime'>;
  try {
    replayed = await replayOperations(workload.operations, run);
  } finally {
    await endStalls();
    await run.stop();
  }
  const { user, system } = process.cpuUsage(before);
  await cluster.waitForReplicas();
  return {
    ...replayed,
    policy: policy.name,
    waits: run.waits,
    counted: await counted(),
    processorTime: (user + system) / 1e6,
  };
}

async function replayOperations(operations: readonly RecordedOperation[], run: PolicyRun) {
  const users = new Map<number, UserWrites>();
  const count: Record<Freshness, number> = { fresh: 0, stale: 0, overlapping: 0 };
  const took: Record<'query' | 'mutation', number[]> = { query: [], mutation: [] };
  const late: number[] = [];
  const from = performance.now();

  const perform = async (operation: RecordedOperation) => {
    const { user, kind } = operation;
    let known = users.get(user);
    if (!known) users.set(user, (known = new UserWrites()));
    const writes = known.begin();
    const began = performance.now();
    await run.operation({ user, kind }, (routes) =>
      runWaves(operation, routes, writes, (freshness) => count[freshness]++),
    );
    took[kind].push(performance.now() - began);
    writes.answer();
  };

  const ended: Promise<void>[] = [];
  for (const operation of operations) {
    const { at, after } = operation;
    const before = after && ended[after.operation];
    ended.push(
      (async () => {
        await before;
        const due = after ? performance.now() + after.delay : from + at;
        await sleep(Math.max(0, due - performance.now()));
        late.push(performance.now() - due);
        await perform(operation);
      })(),
    );
  }
  await Promise.all(ended);
  return {
    reads: count.fresh + count.stale + count.overlapping,
    stale: count.stale,
    overlapping: count.overlapping,
    queries: took.query,
    mutations: took.mutation,
    late,
  };
}
