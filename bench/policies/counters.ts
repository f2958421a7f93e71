import type { Cluster, ClusterNode } from '../../src/testing';

/** Reads of the application's tables, as each server counted them itself. */
export interface NodeReads {
  readonly primary: number;
  readonly replicas: readonly number[];
}

interface Counted {
  readonly scans: number;
  readonly updates: number;
}

/**
 * A server adds what a session did to its counters when the session ends at the latest, so both
 * looks are to be taken with no session of the application open.
 *
 * Every read of the workload is one scan of one table, by an index or of the whole. So is the look-up
 * of every UPDATE, and the primary has counted those too: they are taken off. An INSERT scans nothing.
 */
export async function readsCounted(cluster: Cluster): Promise<() => Promise<NodeReads>> {
  const nodes = [cluster.primary, ...cluster.replicas];
  const look = () => Promise.all(nodes.map(countedBy));
  const before = await look();
  return async () => {
    const [primary = 0, ...replicas] = (await look()).map(({ scans, updates }, index) => {
      const then = before[index] ?? { scans: 0, updates: 0 };
      return scans - then.scans - (updates - then.updates);
    });
    return { primary, replicas };
  };
}

async function countedBy(node: ClusterNode): Promise<Counted> {
  const [row] = await node.query(
    `SELECT sum(seq_scan + coalesce(idx_scan, 0))::int AS scans, sum(n_tup_upd)::int AS updates
       FROM pg_stat_user_tables`,
  );
  return { scans: Number(row?.['scans']), updates: Number(row?.['updates']) };
}
