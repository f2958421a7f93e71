import { Socket } from 'node:net';
import { later } from '../clock';
import type { ProbeConnection } from '../freshness';
import type { Connection, NodeConfig, SequelizeInternals } from './internals';
import { PRIMARY, type Nodes } from './nodes';

/** How long a connect may take, in milliseconds; the probes have given up on it by then. */
const OPEN_MS = 6000;

interface ProbeClient extends Connection {
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>;
  readonly connection: Connection['connection'] & {
    readonly stream: { destroy(): void; unref(): void };
  };
}

interface ConnectingManager {
  readonly config: { readonly replication: { readonly write: NodeConfig } };
  _connect(config: NodeConfig): Promise<ProbeClient>;
}

/**
 * Opens connections for the probes, the way Sequelize opens its own (so that hooks that give out
 * passwords run), but outside its pools.
 */
export function probeOpener(
  instance: SequelizeInternals,
  nodes: Nodes,
): (node: string) => Promise<ProbeConnection> {
  return async (node) => {
    const manager = instance.connectionManager as unknown as ConnectingManager;
    const { write } = manager.config.replication;
    const config = node === PRIMARY ? write : nodes.entryOf(node);
    if (!config) throw new Error(`there is no node ${node}`);
    const client = await connectLoosely(manager, config);
    // Sequelize's own listener would look for the connection in its pools.
    client.removeAllListeners('error');
    client.connection.stream.unref();
    return asProbe(client);
  };
}

/**
 * Connects on a socket that keeps no process alive, not even while it is connecting, and that is
 * gone after a while when nobody answers: a frozen server accepts connections and says nothing.
 */
async function connectLoosely(
  manager: ConnectingManager,
  config: NodeConfig,
): Promise<ProbeClient> {
  const sockets: Socket[] = [];
  const stream = () => {
    const socket = new Socket().unref();
    sockets.push(socket);
    return socket;
  };
  // A copy: connecting writes to its config. A socket of the application's own (a tunnel) wins.
  const dialectOptions = {
    stream,
    ...(config as { dialectOptions?: object }).dialectOptions,
  };
  const limit = later(OPEN_MS, () => {
    for (const socket of sockets) socket.destroy();
  });
  try {
    return await manager._connect({ ...config, dialectOptions } as NodeConfig);
  } finally {
    limit.cancel();
  }
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
