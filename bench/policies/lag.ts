import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { ClusterNode, ReplicaNode } from '../../src/testing';
import { quantile } from '../figures';
import type { Bed } from './bed';
import { playStalls } from './lag-schedule';

const BEAT_MS = 10;
const LOOK_MS = 2;

export interface LagMeasured {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/**
 * The lag of both replicas through the recorded stalls: a commit every 10 ms, and the time from its
 * acknowledgement until a poll of each replica showed it, in milliseconds.
 */
export async function measureLag({ cluster, workload }: Bed): Promise<LagMeasured> {
  await cluster.primary.query('CREATE TABLE beats (beat int)');
  await cluster.primary.query('INSERT INTO beats VALUES (0)');
  await cluster.waitForReplicas();
  const writer = await clientOf(cluster.primary);
  const acknowledged: number[] = [];
  const over = new AbortController();
  const watching = cluster.replicas.map((replica) => watch(replica, acknowledged, over.signal));
  const endStalls = playStalls(cluster, workload.stalls);
  const until = performance.now() + workload.seconds * 1000;
  while (performance.now() < until) {
    await writer.query('UPDATE beats SET beat = beat + 1');
    acknowledged.push(performance.now());
    await sleep(BEAT_MS);
  }
  await endStalls();
  await cluster.waitForReplicas();
  await sleep(10 * LOOK_MS);
  over.abort();
  const lags = (await Promise.all(watching)).flat();
  await writer.end();
  await cluster.primary.query('DROP TABLE beats');
  await cluster.waitForReplicas();
  return { p50: quantile(lags, 0.5), p99: quantile(lags, 0.99), p999: quantile(lags, 0.999) };
}

/** The lag of each beat on one replica. */
async function watch(
  replica: ReplicaNode,
  acknowledged: readonly number[],
  over: AbortSignal,
): Promise<number[]> {
  const client = await clientOf(replica);
  const lags: number[] = [];
  while (!over.aborted) {
    const { rows } = await client.query<{ beat: number }>('SELECT beat FROM beats');
    const at = performance.now();
    // A replica may show a commit before the primary's answer has come through: no lag at all.
    for (let beat = lags.length; beat < (rows[0]?.beat ?? 0); beat++) {
      lags.push(Math.max(0, at - (acknowledged[beat] ?? at)));
    }
    await sleep(LOOK_MS);
  }
  await client.end();
  return lags;
}

async function clientOf({ host, port, user, password, database }: ClusterNode): Promise<Client> {
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  return client;
}
