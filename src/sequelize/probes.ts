import { Socket } from 'node:net';
import { later } from '../clock';
import type { ProbeConnection } from '../freshness';
import type { Connection, NodeConfig, SequelizeInternals } from './internals';
import { PRIMARY, type Nodes } from './nodes';

/** How long a connect may take, in milliseconds; the probes have given up on it by then. */
const OPEN_MS = 6000;
/** Sample, reading, flush: more than these would be texts that never come again. */
const MOST_PREPARED = 4;

interface ProbeClient extends Connection {
  query(
    sql: string | { readonly name: string; readonly text: string },
  ): Promise<{ rows: Record<string, unknown>[] }>;
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

/**
 * Sends a text that comes again as a prepared statement: to plan a probe costs the server several
 * times what it costs to run it.
 */
function preparing(client: ProbeClient): ProbeConnection['query'] {
  const names = new Map<string, string>();
  let last: string | undefined;
  let refused = false;
  return async (sql) => {
    let name = names.get(sql);
    if (name === undefined && sql === last && !refused && names.size < MOST_PREPARED) {
      name = `fresh_reads_${names.size + 1}`;
      names.set(sql, name);
    }
    last = sql;
    if (name === undefined || refused) return (await client.query(sql)).rows;
    try {
      return (await client.query({ name, text: sql })).rows;
    } catch (error) {
      if (typeof (error as { severity?: unknown }).severity !== 'string') throw error;
      // A proxy that hands each statement to another server process, or a table that was made anew.
      refused = true;
      return (await client.query(sql)).rows;
    }
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
    query: preparing(client),
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
