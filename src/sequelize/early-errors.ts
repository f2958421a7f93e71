import type { EventEmitter } from 'node:events';
import type { SequelizeInternals } from './internals';

interface Client extends EventEmitter {
  /** Which pool Sequelize's own listener looks for it in. */
  queryType?: 'read' | 'write';
  /** What Sequelize's pools look at before they hand a connection out. */
  _invalid?: boolean;
}

interface Driver {
  Client: new (config: unknown) => Client;
}

const heard = new WeakSet<object>();

/**
 * Gives the connections of an instance an `error` listener from their first moment. Sequelize adds its
 * own only after `connect` has called back: a server that ends a connection in the packet that
 * opened it (it is shutting down, somebody terminates all connections) would end this process, which
 * is more than a failing replica may do.
 */
export function hearErrorsEarly(instance: SequelizeInternals): void {
  const manager = instance.connectionManager as unknown as { lib: Driver };
  if (heard.has(manager)) return;
  heard.add(manager);
  const driver = manager.lib;
  // Looked up at each connect, so that instrumentation which replaces the class still runs.
  const Client = function (config: unknown): Client {
    const client = new driver.Client(config);
    // A pool that does not have it takes no harm; without a name that listener would throw.
    client.queryType = 'read';
    client.on('error', () => {
      client._invalid = true;
    });
    return client;
  } as unknown as Driver['Client'];
  manager.lib = Object.create(driver, { Client: { value: Client } }) as Driver;
}
