import type { Connection, NodeConfig, SequelizeInternals } from './internals';

interface ConnectingManager {
  readonly config: { readonly replication: { write: NodeConfig; read: NodeConfig[] } };
  _connect(config: NodeConfig): Promise<Connection>;
  _disconnect(connection: Connection): Promise<unknown>;
}

/**
 * Sequelize asks the primary for its version before the first statement, reads included: with the
 * primary down at the start nothing would work. Every server says its version when it is connected
 * to, so whichever answers first will do.
 *
 * @returns `undefined` when the version is known already
 */
export function serverVersion(instance: SequelizeInternals): () => Promise<void> | undefined {
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    const manager = instance.connectionManager as unknown as ConnectingManager;
    const { write, read } = manager.config.replication;
    const attempts = [write, ...read].map(async (config) => {
      // A copy: connecting writes to its config.
      const connection = await manager._connect({ ...config });
      void manager._disconnect(connection).catch(() => undefined);
    });
    // When none answers, Sequelize's own attempt says why.
    await Promise.any(attempts).catch(() => undefined);
  };
  return () => {
    if (instance.options.databaseVersion !== 0) return undefined;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}
