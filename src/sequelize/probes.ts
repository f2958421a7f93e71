import type { ProbeConnection } from '../freshness';
import type { Connection, NodeConfig, SequelizeInternals } from './internals';
import { PRIMARY } from './nodes';

interface ProbeClient extends Connection {
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>;
  readonly connection: Connection['connection'] & {
    readonly stream: { destroy(): void; unref(): void };
  };
}

interface ConnectingManager {
  readonly config: { readonly replication: { write: NodeConfig; read: NodeConfig[] } };
  _connect(config: NodeConfig): Promise<ProbeClient>;
}

/**
 * Opens connections for the probes, the way Sequelize opens its own (so that hooks that give out
 * passwords run), but outside its pools.
 */
export function probeOpener(
  instance: SequelizeInternals,
  names: readonly string[],
): (node: string) => Promise<ProbeConnection> {
  return async (node) => {
    const manager = instance.connectionManager as unknown as ConnectingManager;
    const { write, read } = manager.config.replication;
    const config = node === PRIMARY ? write : read[names.indexOf(node)];
    if (!config) throw new Error(`there is no node ${node}`);
    // A copy: connecting writes to its config.
    const client = await manager._connect({ ...config });
    // Sequelize's own listener would look for the connection in its pools.
    client.removeAllListeners('error');
    client.connection.stream.unref();
    return asProbe(client);
  };
}

function asProbe(client: ProbeClient): ProbeConnection {
  let closing = false;
  let lost = false;
  const onLost = new Set<() => void>();
  const lose = () => {
    if (closing || lost) return;
    lost = true;
    for (const fn of onLost) fn();
  };
  client.on('error', lose);
  client.on('end', lose);
  return {
    ...(client.processID !== undefined && { processId: client.processID }),
    query: async (sql) => (await client.query(sql)).rows,
    onLost(fn) {
      onLost.add(fn);
      if (lost) fn();
    },
    close() {
      closing = true;
      // Not an orderly end: a frozen server would never answer it.
      client.connection.stream.destroy();
      return Promise.resolve();
    },
  };
}
