import { QueryTypes, type Options, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads, type FreshReadsOptions } from '../../src';
import { DecisionLog } from '../support/decisions';

export const SECRET = 'a secret that all processes share';

/** What stands for one process: an instance with a handle of its own. */
export class Site {
  readonly reads: FreshReads;
  readonly log: DecisionLog;

  private constructor(
    readonly sequelize: Sequelize,
    options: FreshReadsOptions,
  ) {
    this.reads = freshReads(sequelize, { sessionSecret: SECRET, ...options });
    this.log = new DecisionLog(this.reads);
  }

  /** @param options `catalog: false`: before the catalog is read */
  static async open(
    where: { connect(options?: Options): Sequelize },
    { catalog = true, connect, ...options }: FreshReadsOptions & SiteOptions = {},
  ): Promise<Site> {
    const site = new Site(where.connect(connect), options);
    if (catalog) await site.reads.ready();
    return site;
  }

  async insert(table: string): Promise<void> {
    await this.sequelize.query(`INSERT INTO ${table} DEFAULT VALUES`);
  }

  async count(table: string, options: object = {}): Promise<number> {
    const [row] = await this.sequelize.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table}`,
      { type: QueryTypes.SELECT, ...options },
    );
    return row!.n;
  }

  /** Reads each table, as one line each: `replica no-live-writes`. */
  async readsOf(...tables: string[]): Promise<string[]> {
    const lines: string[] = [];
    for (const table of tables) {
      await this.count(table);
      const { target, reason } = this.log.all.at(-1)!;
      lines.push(`${target} ${reason}`);
    }
    return lines;
  }

  /** Writes the tables in an operation of its own, and gives its token. */
  tokenAfter(...tables: string[]): Promise<string | undefined> {
    return this.reads.runOperation({ kind: 'mutation' }, async () => {
      for (const table of tables) await this.insert(table);
      return this.reads.token();
    });
  }

  /** The same as {@link readsOf}, in an operation that was handed tokens. */
  readsWith(token: string | readonly string[] | undefined, ...tables: string[]): Promise<string[]> {
    return this.reads.runOperation({ kind: 'query', token }, () => this.readsOf(...tables));
  }

  /** What an operation has to pass on that was handed `token` and did nothing. */
  passOn(token: string | readonly string[] | undefined): Promise<string | undefined> {
    return this.reads.runOperation({ kind: 'query', token }, () => this.reads.token());
  }
}

export interface SiteOptions {
  readonly catalog?: boolean;
  readonly connect?: Options;
}

const realSetTimeout = globalThis.setTimeout;

/** Asks again and again until it is true; the time limit is the test's own. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => realSetTimeout(resolve, 2));
}
