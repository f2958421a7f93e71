import { readFileSync } from 'node:fs';
import { Client, type QueryConfig } from 'pg';
import { positions } from '../../src/freshness/positions';
import { startCluster, type ClusterNode } from '../../src/testing';
import { compare } from '../measure';
import { report } from '../report';

const PROBE = positions.readSql;
const PLAN = { rounds: 15, count: 500 };

/** Microseconds of processor time that one probe costs the server that answers it. */
export interface ProbeCost {
  readonly primary: number;
  readonly replica: number;
}

/** Measures that, beside a statement that asks for nothing. Probes are prepared statements. */
export async function probeCost(): Promise<ProbeCost> {
  const cluster = await startCluster({ replicas: 1 });
  try {
    const [replica] = cluster.replicas;
    if (!replica) throw new Error('there is no replica');
    return {
      primary: await costOn('the primary', cluster.primary),
      replica: await costOn('a replica', replica),
    };
  } finally {
    await cluster.stop();
  }
}

async function costOn(where: string, node: ClusterNode): Promise<number> {
  const { host, port, user, password, database } = node;
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? 0;
    const asking = (name: string, statement: string | QueryConfig) => ({
      name,
      run: async (count: number) => {
        for (let i = 0; i < count; i++) await client.query(statement);
      },
    });
    const figures = await compare(
      [
        asking('SELECT 1', 'SELECT 1'),
        asking('a probe, planned each time', PROBE),
        asking('a probe', { name: 'probe', text: PROBE }),
      ],
      PLAN,
      async (variant) => {
        const before = processorTime(pid);
        await variant.run(PLAN.count);
        return processorTime(pid) - before;
      },
    );
    report(`one statement on ${where}`, 'us of the server process', figures);
    return figures[2]?.median ?? NaN;
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
