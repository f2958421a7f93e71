import { Sequelize } from 'sequelize';
import { freshReads, type FreshReads, type FreshReadsOptions } from 'sequelize-fresh-reads';
import type { Database } from './database';
import { defineModels, type Models } from './models';
import { SEED_SIZE, prepareTables, type SeedSize } from './seed';
import { startServer } from './server';

export interface ExampleOptions {
  readonly database: Database;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default `'enforce'`. */
  readonly routing?: FreshReadsOptions['routing'];
  /** Milliseconds. Default 1000. */
  readonly windowMs?: number;
  /** Default true: shows decisions, and the GraphiQL page. */
  readonly development?: boolean;
  readonly seed?: SeedSize;
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
  const { database, port = 0, routing = 'enforce', windowMs = 1000, development = true } = options;
  const { seed = SEED_SIZE, log = () => undefined } = options;
  const sequelize = new Sequelize(database.options);
  try {
    const models = defineModels(sequelize);
    const filled = await prepareTables(sequelize, models, seed, (table, done, of) =>
      log(`seed    ${table} ${done}/${of}`),
    );
    if (!filled) log('seed    nothing to do: there are rows already');
    await database.waitForReplicas();
    log('seed    the replicas have it all');
    // Only now: the rows of the seed are everywhere, no read has to wait for them.
    const reads = freshReads(sequelize, {
      freshness: { mode: 'fixed', windowMs },
      routing,
      logger: { warn: log },
    });
    const server = await startServer({ reads, models, port, development, log });
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
