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
  typeDefs: `declare const typeDefs: string;`,
};
