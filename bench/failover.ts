import { QueryTypes, Sequelize } from 'sequelize';
import { startCluster, type Cluster } from '../src/testing';
import { builtPackage } from './built';
import { figuresOf } from './figures';
import { report } from './report';

const READERS = 50;
const RUNS = 5;
const WINDOW_MS = 2000;

/** Readers that never pause, with the time each read took. */
class Readers {
  readonly errors: unknown[] = [];
  #latencies: number[] = [];
  #on = true;
  readonly #running: Promise<void>[];

  constructor(read: () => Promise<unknown>) {
    this.#running = Array.from({ length: READERS }, async () => {
      while (this.#on) {
        const from = performance.now();
        await read().catch((error: unknown) => this.errors.push(error));
        this.#latencies.push(performance.now() - from);
      }
    });
  }

  /** How long the reads took that ended within `ms` from now. */
  async latenciesFor(ms: number): Promise<number[]> {
    this.#latencies = [];
    await new Promise((resolve) => setTimeout(resolve, ms));
    return this.#latencies.splice(0);
  }

  async stop(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#running);
  }
}

async function runOn(cluster: Cluster, routed: boolean) {
  const sequelize = new Sequelize({ ...cluster.sequelizeOptions(), pool: { max: 25 } });
  const { freshReads } = await builtPackage();
  if (routed) await freshReads(sequelize).ready();
  const readers = new Readers(() =>
    sequelize.query('SELECT id, name FROM users WHERE id = 7', { type: QueryTypes.SELECT }),
  );
  const [victim] = cluster.replicas;
  await readers.latenciesFor(500);
  const steady = await readers.latenciesFor(WINDOW_MS);
  const during = readers.latenciesFor(WINDOW_MS);
  await victim?.kill();
  const afterKill = await during;
  await readers.stop();
  await sequelize.close();
  await victim?.start();
  return { steady, afterKill, failed: readers.errors.length };
}

async function killed(): Promise<void> {
  const cluster = await startCluster({ replicas: 2 });
  try {
    await cluster.primary.query('CREATE TABLE users (id int PRIMARY KEY, name text)');
    await cluster.primary.query(
      `INSERT INTO users SELECT i, 'user ' || i FROM generate_series(1, 100) i`,
    );
    await cluster.waitForReplicas();
    const title = (routed: boolean) => (routed ? 'with this package' : 'Sequelize alone');
    const failed: Record<string, number[][]> = {};
    for (const routed of [false, true]) {
      const latencies: Record<string, number[][]> = {};
      for (let run = 0; run < RUNS; run++) {
        const result = await runOn(cluster, routed);
        (failed[title(routed)] ??= []).push([result.failed]);
        (latencies['steady'] ??= []).push(result.steady);
        (latencies['from the kill until 2 s later'] ??= []).push(result.afterKill);
      }
      for (const [what, share] of [
        ['median', 0.5],
        ['p99', 0.99],
        ['slowest', 1],
      ] as const) {
        report(
          `${READERS} readers, a replica is killed, ${title(routed)}: latency, ${what}`,
          'ms',
          figuresOf(latencies, share),
        );
      }
    }
    report(
      `${READERS} readers, a replica is killed: failed reads`,
      'reads',
      figuresOf(failed, 0.5),
    );
  } finally {
    await cluster.stop();
  }
}

export const benches = [{ name: 'failover', run: killed }];
