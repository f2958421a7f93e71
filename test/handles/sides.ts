import { QueryTypes, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads, type FreshReadsOptions } from '../../src';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

export const SECRET = 'a secret that all handles share';

/** One Sequelize instance with its handle. */
export class Side {
  private constructor(
    readonly sequelize: Sequelize,
    readonly reads: FreshReads,
  ) {}

  static async open(
    database: Pick<TestDatabase, 'connect'>,
    options: FreshReadsOptions = {},
    { ready = true } = {},
  ): Promise<Side> {
    const sequelize = database.connect();
    const reads = freshReads(sequelize, { sessionSecret: SECRET, ...options });
    if (ready) await reads.ready();
    return new Side(sequelize, reads);
  }

  async write(table: string): Promise<void> {
    await this.sequelize.query(`INSERT INTO ${table} DEFAULT VALUES`);
  }

  /** Whether a read of the table was answered by a standby: on paused replicas that is the past. */
  async onStandby(table: string): Promise<boolean> {
    const [row] = await this.sequelize.query<{ standby: boolean }>(
      `SELECT count(*), pg_is_in_recovery() AS standby FROM ${table}`,
      { type: QueryTypes.SELECT },
    );
    return row!.standby;
  }
}

/** A database whose tables have the names that those of every other one here have, and one more. */
export function makeDatabase(extra: string): Promise<TestDatabase> {
  return createDatabase(
    ...['users', 'posts', extra].map((table) => `CREATE TABLE ${table} (id serial)`),
  );
}

/** The handles of one process, by the names that requests give them. */
export interface Sides {
  readonly a: Side;
  readonly b: Side;
}

export const typeDefs = `
  type Query { standby(side: String!, table: String!): Boolean! }
  type Mutation { write(side: String!, table: String!): Boolean }
`;

interface Args {
  readonly side: string;
  readonly table: string;
}

export function resolversOf(sides: Sides) {
  const side = (name: string) => sides[name as keyof Sides];
  return {
    Query: { standby: (_: unknown, args: Args) => side(args.side).onStandby(args.table) },
    Mutation: {
      write: async (_: unknown, args: Args) => {
        await side(args.side).write(args.table);
      },
    },
  };
}
