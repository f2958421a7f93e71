import { Client } from 'pg';
import { Sequelize, type Options, type Transaction } from 'sequelize';
import type { FreshReads, FreshReadsOptions, OperationOptions } from '../../src';
import type { Loader } from '../../src/dataloader';
import { defineModels, type Models } from './models';
import type { LoadedPackage } from './package';
import type { Recorder, Scope } from './recorder';

/** Marks a statement whose connection is to be lost. */
const CUT = Symbol('cut');
const CUT_AFTER_MS = 100;
const DIRECT_MS = 2000;

/** What a query of Sequelize holds of the driver. */
interface Cuttable {
  readonly connection: { readonly connection: { readonly stream: { destroy(): void } } };
}

/** How one process reaches the cluster. Plain data: a child process is told it. */
export interface AppOptions {
  /** Without functions. */
  readonly sequelize: Options;
  /** `undefined`: Sequelize's own replication, with nothing of this package. */
  readonly fresh: FreshReadsOptions | undefined;
  /** A URL of the primary, for looks past Sequelize. */
  readonly primary: string;
  /** Names of the nodes by port. */
  readonly nodes: Readonly<Record<number, string>>;
}

/** A session comes by, with the tokens of what it did before. */
export interface Visit {
  readonly session: string;
  readonly tokens: readonly string[];
}

export interface Visited {
  /** What the session has to bring along next time. */
  readonly token?: string | undefined;
}

export interface Loaders {
  readonly item: Loader<number, unknown>;
  readonly total: Loader<number, unknown>;
  readonly childrenOf: Loader<number, unknown[]>;
}

/** One Sequelize instance on the cluster as an application has it, with its reads routed or not. */
export class App {
  readonly sequelize: Sequelize;
  readonly models: Models;
  readonly reads: FreshReads | undefined;
  /** None without this package. */
  readonly loaders: Loaders | undefined;
  readonly #recorder: Recorder;
  readonly #primary: string;
  readonly #monotonic: boolean;

  constructor(loaded: LoadedPackage, options: AppOptions, recorder: Recorder) {
    this.#recorder = recorder;
    this.#primary = options.primary;
    this.#monotonic = options.fresh?.monotonicReads === true;
    this.sequelize = new Sequelize({ ...options.sequelize, logging: false });
    this.models = defineModels(this.sequelize);
    this.sequelize.addHook('beforeQuery', (asked, query) => {
      if (!(CUT in asked)) return;
      const { connection } = query as unknown as Cuttable;
      setTimeout(() => connection.connection.stream.destroy(), CUT_AFTER_MS);
    });
    if (options.fresh) {
      this.reads = loaded.main.freshReads(this.sequelize, options.fresh);
      this.reads.onDecision(({ node, reason }) => recorder.sentTo(`${node} ${reason}`));
      this.loaders = this.#makeLoaders(loaded, this.reads);
    } else {
      this.sequelize.addHook('beforeQuery', (_, query) => {
        const { connection } = query as unknown as { connection: { port: number } };
        recorder.sentTo(options.nodes[connection.port] ?? 'primary');
      });
    }
  }

  async ready(): Promise<void> {
    await this.reads?.ready();
  }

  /** Runs `work` as an operation, or as the next one of a session. */
  async operation(work: (scope: Scope) => Promise<void>, visit?: Visit): Promise<Visited> {
    const operation = this.#recorder.name('o');
    const { session, tokens } = visit ?? {};
    this.#recorder.note('operation', { operation, session, monotonic: this.#monotonic });
    try {
      return await this.run({ name: operation, token: tokens }, async () => {
        await work({ operation });
        if (session === undefined) return {};
        const token = await this.reads?.token();
        this.#recorder.note('token', { operation, session });
        return { token };
      });
    } finally {
      this.#recorder.note('ended', { operation });
    }
  }

  /** As `runOperation`; without this package the work alone. */
  async run<T>(options: OperationOptions, work: () => Promise<T>): Promise<T> {
    return this.reads ? await this.reads.runOperation(options, work) : work();
  }

  /** Runs a statement that the server is at work on when its connection is cut. */
  async runAndCut(sql: string): Promise<void> {
    const options: object = { [CUT]: true };
    await this.sequelize.query(sql, options).catch(() => undefined);
  }

  /** Asks the primary past Sequelize, and past the router. */
  async direct(sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({
      connectionString: this.#primary,
      connectionTimeoutMillis: DIRECT_MS,
      query_timeout: DIRECT_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  close(): Promise<void> {
    return this.sequelize.close();
  }

  #makeLoaders({ dataloader }: LoadedPackage, reads: FreshReads): Loaders {
    const { Item, Total, Parent } = this.models;
    const { byKey, createLoaders, hasMany } = dataloader;
    const made = createLoaders(reads, {
      item: byKey(Item),
      total: byKey(Total),
      childrenOf: hasMany(Parent.associations['children'] as never),
    });
    return made;
  }
}

/** What a call of Sequelize is given to run in a transaction, if there is one. */
export interface Within {
  readonly transaction?: Transaction;
}
