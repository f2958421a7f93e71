import type { Cluster } from '../../src/testing';
import type { Stall } from './workload';

/** Lets the replicas stall as recorded, from now on; the function it gives ends that and lets them go on. */
export function playStalls(cluster: Cluster, stalls: readonly Stall[]): () => Promise<void> {
  const timers = new Set<NodeJS.Timeout>();
  const under: Promise<void>[] = [];
  const at = (ms: number, act: () => Promise<void>) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      under.push(act());
    }, ms);
    timers.add(timer);
  };
  for (const stall of stalls) {
    const replica = cluster.replicas[stall.replica];
    if (!replica) throw new Error(`there is no replica ${stall.replica} that could stall`);
    at(stall.at, () => replica.pause());
    at(stall.at + stall.ms, () => replica.resume());
  }
  return async () => {
    for (const timer of timers) clearTimeout(timer);
    await Promise.all(under);
    for (const replica of cluster.replicas) if (replica.paused) await replica.resume();
  };
}
