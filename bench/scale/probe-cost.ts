import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { positions } from '../../src/freshness/positions';
import { startCluster, type ClusterNode } from '../../src/testing';
import { compare, type Figure } from '../measure';
import { report } from '../report';

const PLAN = { rounds: 15, count: 500 };

/** What one probe costs the server that answers it. */
export async function probeCost(): Promise<void> {
  const { primary } = await measureProbes();
  const [, probe] = primary;
  const share = (1000 * 100 * (probe?.median ?? NaN)) / 1_000_000;
  console.log(
    `\n1,000 processes that write all the time, each at the default of one probe in 10 ms: ` +
      `${share.toFixed(1)} cores of the primary`,
  );
}

/** Microseconds of processor time of a server process, on the primary and on a standby. */
async function measureProbes(): Promise<{ primary: Figure[]; standby: Figure[] }> {
  const cluster = await startCluster({ replicas: 1 });
  try {
    const [standby] = cluster.replicas;
    if (!standby) throw new Error('there is no standby');
    return {
      primary: await probesOf('the primary', cluster.primary),
      standby: await probesOf('a standby', standby),
    };
  } finally {
    await cluster.stop();
  }
}

async function probesOf(where: string, node: ClusterNode): Promise<Figure[]> {
  const { host, port, user, password, database } = node;
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? 0;
    const asking = (name: string, sql: string) => ({
      name,
      run: async (count: number) => {
        for (let i = 0; i < count; i++) await client.query(sql);
      },
    });
    const figures = await compare(
      [asking('SELECT 1', 'SELECT 1'), asking('a probe', positions.readSql)],
      PLAN,
      async (variant) => {
        const before = processorTime(pid);
        await variant.run(PLAN.count);
        return processorTime(pid) - before;
      },
    );
    report(`one statement on ${where}`, 'us of the server process', figures);
    return figures;
  } finally {
    await client.end();
  }
}

/** Microseconds that a process has been running, as the scheduler of Linux counts them. */
function processorTime(pid: number): number {
  const file = `/proc/${pid}/schedstat`;
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1000;
  } catch (error) {
    throw new Error(`the processor time of a server is read from ${file}, so on Linux only`, {
      cause: error,
    });
  }
}
