import { ApolloServer } from '@apollo/server';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { DataTypes, type Model, type ModelStatic, type Sequelize } from 'sequelize';
import { freshReads, type Decision, type FreshReads, type FreshReadsOptions } from '../../src';
import { freshReadsPlugin, freshnessTypeDefs } from '../../src/apollo';
import { byKey, createLoaders, type Loader } from '../../src/dataloader';
import { wrapResolvers } from '../../src/graphql';
import type { TestDatabase } from '../support/shared-cluster';

type Resolvers = NonNullable<Parameters<typeof makeExecutableSchema>[0]['resolvers']>;

export const TABLES = [
  'CREATE TABLE users (id serial PRIMARY KEY, name text)',
  'CREATE TABLE posts (id serial PRIMARY KEY, title text)',
  "INSERT INTO users (name) SELECT 'user ' || i FROM generate_series(1, 9) i",
  "INSERT INTO posts (title) SELECT 'post ' || i FROM generate_series(1, 9) i",
];

/** An instance with models, loaders and every decision made on it. */
export class Shop {
  readonly sequelize: Sequelize;
  readonly reads: FreshReads;
  readonly User: ModelStatic<Model>;
  readonly Post: ModelStatic<Model>;
  readonly loaders: { user: Loader<number, Model | null>; post: Loader<number, Model | null> };
  readonly #decisions: Decision[] = [];

  constructor(database: TestDatabase, options: FreshReadsOptions = {}) {
    this.sequelize = database.connect();
    this.reads = freshReads(this.sequelize, options);
    const define = { timestamps: false };
    this.User = this.sequelize.define('user', { name: DataTypes.TEXT }, define);
    this.Post = this.sequelize.define('post', { title: DataTypes.TEXT }, define);
    this.loaders = createLoaders(this.reads, {
      user: byKey(this.User),
      post: byKey(this.Post),
    });
    this.reads.onDecision((decision) => this.#decisions.push(decision));
  }

  /** The reads since the last call, by resolver: `Query.a: replica no-live-writes`. */
  lines(): string[] {
    return this.#decisions
      .splice(0)
      .filter(({ reason }) => reason !== 'not-a-read')
      .map(({ resolvers, target, reason }) => `${resolvers.join('+')}: ${target} ${reason}`);
  }

  schema(typeDefs: string, resolvers: Resolvers) {
    const schema = makeExecutableSchema({ typeDefs: [freshnessTypeDefs, typeDefs], resolvers });
    wrapResolvers(schema);
    return schema;
  }

  async server(typeDefs: string, resolvers: object): Promise<ApolloServer> {
    const server = new ApolloServer({
      typeDefs: [freshnessTypeDefs, typeDefs],
      resolvers: resolvers as never,
      plugins: [freshReadsPlugin(this.reads)],
    });
    await server.start();
    return server;
  }
}
