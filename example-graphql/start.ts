import { randomBytes } from 'node:crypto';
import { Sequelize } from 'sequelize';
import { freshReads, type FreshReads, type FreshReadsOptions } from 'sequelize-fresh-reads';
import type { Database } from './database';
import { defineModels, type Models } from './models';
import { SEED_SIZE, prepareTables, type SeedSize } from './seed';
import { startServer } from './server';

export interface ExampleOptions {
  readonly database: Database;
  /** The address to listen on. Default 127.0.0.1: this machine only. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default `'enforce'`. */
  readonly routing?: FreshReadsOptions['routing'];
  /** Default: that of freshReads, `proven`. */
  readonly freshness?: FreshReadsOptions['freshness'];
  /** Default true: shows decisions, and the GraphiQL page. */
  readonly development?: boolean;
  readonly seed?: SeedSize;
  /** Signs session tokens. Default: one made at the start, for this process alone. */
  readonly sessionSecret?: string | undefined;
  /** Default: no log. */
  readonly log?: (line: string) => void;
}

/** The running example. Its database stays when it stops. */
export interface Example {
  readonly url: string;
  readonly sequelize: Sequelize;
  readonly models: Models;
  readonly reads: FreshReads;
  stop(): Promise<void>;
}

/** Connects, makes and fills the tables, waits until the replicas have them, and serves. */
export async function startExample(options: ExampleOptions): Promise<Example> {
  const { database, host = '127.0.0.1', port = 0, development = true } = options;
  const { routing = 'enforce', freshness, seed = SEED_SIZE, log = () => undefined } = options;
  const sequelize = new Sequelize(database.options);
  try {
    const models = defineModels(sequelize);
    const filled = await prepareTables(sequelize, models, seed, (table, done, of) =>
      log(`seed    ${table} ${done}/${of}`),
    );
    if (!filled) log('seed    nothing to do: there are rows already');
    await database.waitForReplicas();
    log('seed    the replicas have it all');
    const { sessionSecret = randomBytes(32).toString('base64url') } = options;
    const reads = freshReads(sequelize, {
      freshness,
      routing,
      // Sequelize's own replication knows nothing of sessions.
      ...(routing === 'enforce' && { sessionSecret }),
      logger: { warn: log },
    });
    const parts = { reads, sequelize, models, host, port, development, log };
    const server = await startServer(parts);
    const stop = async () => {
      await server.stop();
      await sequelize.close();
    };
    return { url: server.url, sequelize, models, reads, stop };
  } catch (error) {
    await sequelize.close();
    throw error;
  }
}
