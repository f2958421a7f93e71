/**
 * What the TypeScript blocks of the READMEs use without saying where it comes from: each name with
 * its declaration. A block that imports or declares the name itself does without.
 */
export const freeNames: Readonly<Record<string, string>> = {
  sequelize: `declare const sequelize: import('sequelize').Sequelize;`,
  Sequelize: `import { Sequelize } from 'sequelize';`,
  freshReads: `import { freshReads } from 'sequelize-fresh-reads';`,
  reads: `declare const reads: import('sequelize-fresh-reads').FreshReads;`,
  User: `declare const User: import('sequelize').ModelStatic<import('sequelize').Model>;`,
  Post: `declare const Post: import('sequelize').ModelStatic<import('sequelize').Model>;`,
  createLoaders: `import { createLoaders } from 'sequelize-fresh-reads/dataloader';`,
  byKey: `import { byKey } from 'sequelize-fresh-reads/dataloader';`,
  hasMany: `import { hasMany } from 'sequelize-fresh-reads/dataloader';`,
  countOf: `import { countOf } from 'sequelize-fresh-reads/dataloader';`,
  batch: `import { batch } from 'sequelize-fresh-reads/dataloader';`,
  scoresOf: `declare const scoresOf: (ids: readonly number[]) => Promise<number[]>;`,
  app: `declare const app: import('express').Express;`,
  schema: `declare const schema: import('graphql').GraphQLSchema;`,
  typeDefs: `declare const typeDefs: string;`,
  resolvers: `declare const resolvers: { User: object };`,
  plugins: `declare const plugins: import('@apollo/server').ApolloServerPlugin[];`,
  ApolloServer: `import { ApolloServer } from '@apollo/server';`,
};
