import { DataTypes, QueryTypes, type Model, type ModelStatic, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads, type FreshReadsOptions } from '../../src';
import { byKey, createLoaders } from '../../src/dataloader';
import { freshnessTypeDefs } from '../../src/envelop';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

export const typeDefs = `
  ${freshnessTypeDefs}
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean! = true, label: String, initialCount: Int = 0) on FIELD
  type User { id: Int!, name: String, posts: Int! }
  type Query { users: Int!, posts: Int!, user(id: Int!): User, boom: Int, names: [String], fresh: Int! @freshness(read: PRIMARY) }
  type Mutation { createUser(name: String!): User!, rename(id: Int!, name: String!): User!, countUsers: Int! }
  type Subscription { renamed(times: Int! = 2): User, touched: Int! }
`;

export interface Ground {
  readonly database: TestDatabase;
  readonly sequelize: Sequelize;
  readonly reads: FreshReads;
  readonly User: ModelStatic<Model & { id: number; name: string }>;
  readonly resolvers: Record<string, Record<string, unknown>>;
}

/** Two tables and a schema over them. Events of `renamed` rename user 1 before each of them. */
export async function makeGround(options: FreshReadsOptions = {}): Promise<Ground> {
  const database = await createDatabase(
    'CREATE TABLE users (id serial PRIMARY KEY, name text)',
    'CREATE TABLE posts (id serial PRIMARY KEY, title text)',
    "INSERT INTO users (name) VALUES ('one')",
  );
  const sequelize = database.connect();
  const User = sequelize.define<Model & { id: number; name: string }>(
    'user',
    { name: DataTypes.TEXT },
    { timestamps: false },
  );
  const reads = freshReads(sequelize, options);
  await reads.ready();
  const loaders = createLoaders(reads, { user: byKey(User) });
  const count = async (table: string) => {
    const [row] = await sequelize.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`, {
      type: QueryTypes.SELECT,
    });
    return row!.n;
  };
  const rename = (id: number, name: string) =>
    sequelize.query('UPDATE users SET name = :name WHERE id = :id', {
      replacements: { id, name },
    });
  const resolvers = {
    User: { posts: () => count('posts') },
    Query: {
      users: () => count('users'),
      posts: () => count('posts'),
      fresh: () => count('posts'),
      user: (_: unknown, { id }: { id: number }) => loaders.user.load(id),
      boom: () => {
        throw new Error('boom');
      },
      names: async function* () {
        yield 'a';
        yield String(await count('users'));
      },
    },
    Mutation: {
      createUser: (_: unknown, { name }: { name: string }) => User.create({ name }),
      rename: async (_: unknown, { id, name }: { id: number; name: string }) => {
        await rename(id, name);
        return loaders.user.load(id);
      },
      countUsers: () => count('users'),
    },
    Subscription: {
      renamed: {
        subscribe: async function* (_: unknown, { times }: { times: number }) {
          for (let time = 1; time <= times; time++) {
            // By another process, as far as this one knows.
            await database.run(`UPDATE users SET name = 'event ${time}' WHERE id = 1`);
            await database.cluster.waitForReplicas();
            yield time;
          }
        },
        resolve: () => loaders.user.load(1),
      },
      touched: {
        subscribe: async () => {
          await User.create({ name: 'presence' });
          return (async function* () {
            await Promise.resolve();
            yield 1;
          })();
        },
        resolve: () => count('users'),
      },
    },
  };
  return { database, sequelize, reads, User, resolvers };
}
