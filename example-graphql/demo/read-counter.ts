import type { Sequelize } from 'sequelize';
import type { ClusterNode } from 'sequelize-fresh-reads/testing';

/** SELECT statements by the node that answered them. */
export interface ReadCounter {
  /** Those since the last call. */
  take(): ReadonlyMap<string, number>;
}

/** Counts by the connection that each statement really ran on: nobody's own account is needed. */
export function countReads(sequelize: Sequelize, nodes: readonly ClusterNode[]): ReadCounter {
  const nameOf = new Map(nodes.map(({ port, name }) => [port, name]));
  let counts = new Map<string, number>();
  sequelize.addHook('afterQuery', (_options, query) => {
    const { sql, connection } = query as unknown as { sql: string; connection: { port: number } };
    const node = nameOf.get(connection.port);
    if (node === undefined || !/^\s*SELECT/i.test(sql)) return;
    counts.set(node, (counts.get(node) ?? 0) + 1);
  });
  return {
    take() {
      const taken = counts;
      counts = new Map();
      return taken;
    },
  };
}
