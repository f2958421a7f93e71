import * as apolloServer from '@apollo/server';
import { expect } from 'chai';
import * as sequelizeModule from 'sequelize';
import { DataTypes, Sequelize, type Model, type Options } from 'sequelize';
import * as freshReadsModule from '../../src';
import * as apollo from '../../src/apollo';
import * as dataloader from '../../src/dataloader';
import * as testing from '../../src/testing';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { blocksOf } from './markdown';
import { runBlock } from './run-block';

const { freshReads } = freshReadsModule;

interface Resolvers {
  readonly User: { posts(user: { id: number }, args: object): Promise<Model[]> };
}

/** The one block of the README that says this. */
function blockWith(text: string): string {
  const found = blocksOf('README.md', 'ts').filter((block) => block.includes(text));
  expect(found, text).to.have.length(1);
  return found[0]!;
}

/** What the comments at the ends of lines promise: `// replica: nothing was written yet`. */
function promisesOf(block: string): string[] {
  return [...block.matchAll(/;\s*\/\/ (replica|primary):/g)].map(([, target = '']) => target);
}

describe('the code of README.md', () => {
  let database: TestDatabase;
  const opened: { close(): Promise<unknown> }[] = [];

  before(async () => {
    const times = '"createdAt" timestamptz, "updatedAt" timestamptz';
    database = await createDatabase(
      `CREATE TABLE users (id serial PRIMARY KEY, name text, ${times})`,
      `CREATE TABLE posts (id serial PRIMARY KEY, title text, status text, "authorId" int, ${times})`,
      `INSERT INTO posts (title, status, "authorId")
         VALUES ('a1', 'open', 1), ('a2', 'open', 1), ('a3', 'done', 1), ('b1', 'done', 2)`,
    );
    // Not by luck: nothing that is written from here on shows on a replica.
    await database.pauseReplicas();
  });

  after(async () => {
    for (const instance of opened) await instance.close();
    await database.close();
  });

  function unconnected(): Sequelize {
    const sequelize = new Sequelize('postgres://nobody@127.0.0.1:1/none', {
      logging: false,
      replication: { write: {}, read: [{}] },
    });
    opened.push(sequelize);
    return sequelize;
  }

  it('the first block sends everything where its comments say', async () => {
    const block = blockWith('sign-up');
    let log: DecisionLog | undefined;
    // The nodes that it names are those of the test.
    class ThereSequelize extends Sequelize {
      constructor(_url: string, options: Options) {
        const { write, read } = database.cluster.sequelizeOptions().replication;
        const here = { database: database.name };
        const given = options.replication as { write: object; read: object[] };
        expect(given.read).to.have.length(read.length);
        super({
          dialect: 'postgres',
          logging: false,
          replication: {
            write: { ...given.write, ...write, ...here },
            read: given.read.map((node, index) => ({ ...node, ...read[index], ...here })),
          },
        });
        opened.push(this);
      }
    }
    await runBlock(block, {
      sequelize: { ...sequelizeModule, Sequelize: ThereSequelize },
      'sequelize-fresh-reads': {
        ...freshReadsModule,
        freshReads: (...args: Parameters<typeof freshReads>) => {
          const reads = freshReads(...args);
          log = new DecisionLog(reads);
          return reads;
        },
      },
    });
    expect(promisesOf(block)).to.have.length(4);
    expect(log?.all.map(({ target }) => target)).to.deep.equal(promisesOf(block));
  });

  it('the blocks on GraphQL make loaders and a server', async () => {
    const sequelize = unconnected();
    const User = sequelize.define('user', { name: DataTypes.STRING });
    const Post = sequelize.define('post', { title: DataTypes.STRING });
    User.hasMany(Post, { as: 'posts', foreignKey: 'authorId' });
    Post.belongsTo(User, { as: 'author', foreignKey: 'authorId' });
    const typeDefs = `
      type Query { user: User }
      type User { posts: [Post] }
      type Post { author: User }`;
    const reads = freshReads(sequelize);
    await runBlock(
      blockWith('freshReadsPlugin(reads)'),
      {
        '@apollo/server': apolloServer,
        'sequelize-fresh-reads/apollo': apollo,
        'sequelize-fresh-reads/dataloader': dataloader,
      },
      { reads, User, Post, typeDefs },
    );
    await runBlock(blockWith('postCount'), {}, { reads, User, Post, ...dataloader });
  });

  it('the block on arguments loads so many posts of such a status, of each user', async () => {
    const sequelize = database.connect();
    opened.push(sequelize);
    const User = sequelize.define('user', { name: DataTypes.STRING });
    const Post = sequelize.define('post', { title: DataTypes.STRING, status: DataTypes.STRING });
    User.hasMany(Post, { as: 'posts', foreignKey: 'authorId' });
    const reads = freshReads(sequelize);
    await reads.ready();
    const log = new DecisionLog(reads);
    const titles = async (resolvers: Resolvers, args: object) => {
      const lists = [1, 2].map((id) => resolvers.User.posts({ id }, args));
      return (await Promise.all(lists)).map((posts) => posts.map((post) => post.get('title')));
    };
    await runBlock(
      `${blockWith('.with(args)')}\nawait use(resolvers);`,
      {},
      {
        ...dataloader,
        reads,
        User,
        use: async (resolvers: Resolvers) => {
          expect(await titles(resolvers, {})).to.deep.equal([['a3', 'a2', 'a1'], ['b1']]);
          expect(await titles(resolvers, { limit: 1 })).to.deep.equal([['a3'], ['b1']]);
          expect(await titles(resolvers, { limit: 1, status: 'open' })).to.deep.equal([['a2'], []]);
        },
      },
    );
    expect(log.all.map(({ target }) => target)).to.deep.equal(['replica', 'replica', 'replica']);
  });

  it('the block on options has none that is unknown, and no bad value', async () => {
    await runBlock(blockWith('rawReads'), {}, { freshReads, sequelize: unconnected() });
  });

  it('the block on a cluster runs', async () => {
    await runBlock(
      blockWith('cluster.sequelizeOptions()'),
      { 'sequelize-fresh-reads/testing': testing },
      { Sequelize },
    );
  });
});
