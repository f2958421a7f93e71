import 'reflect-metadata';
import { expect } from 'chai';
import {
  AutoIncrement,
  BelongsTo,
  Column,
  DataType,
  ForeignKey,
  HasMany,
  Model,
  PrimaryKey,
  Sequelize,
  Table,
  type SequelizeOptions,
} from 'sequelize-typescript';
import { freshReads, type FreshReads } from '../../src';
import { byKey, createLoaders, hasMany } from '../../src/dataloader';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

class User extends Model {
  declare id: number;
  declare name: string;
  declare posts: Post[];
}

class Post extends Model {
  declare id: number;
  declare title: string;
  declare userId: number;
  declare user: User;
}

/**
 * Decorators, called: what runs the tests compiles none on declared fields, and emits no metadata,
 * so that types are given. The first is the one nearest to the field.
 */
function decorate(model: typeof User | typeof Post, field: string, ...decorators: unknown[]): void {
  for (const decorator of decorators as ((target: object, field: string) => void)[]) {
    decorator(model.prototype, field);
  }
}

for (const model of [User, Post]) {
  decorate(model, 'id', Column(DataType.INTEGER), AutoIncrement, PrimaryKey);
}
decorate(User, 'name', Column(DataType.TEXT));
decorate(
  User,
  'posts',
  HasMany(() => Post),
);
decorate(Post, 'title', Column(DataType.TEXT));
decorate(
  Post,
  'userId',
  Column(DataType.INTEGER),
  ForeignKey(() => User),
);
decorate(
  Post,
  'user',
  BelongsTo(() => User),
);
for (const [model, tableName] of [
  [User, 'users'],
  [Post, 'posts'],
] as const) {
  const table = Table({ tableName, timestamps: false }) as (target: unknown) => void;
  table(model);
}

/** What another instance was made with. */
function optionsOf(sequelize: object): SequelizeOptions {
  return (sequelize as { options: SequelizeOptions }).options;
}

describe('sequelize-typescript', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let log: DecisionLog;

  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial PRIMARY KEY, name text)',
      'CREATE TABLE posts (id serial PRIMARY KEY, title text, "userId" int REFERENCES users)',
    );
    sequelize = new Sequelize(optionsOf(database.connect()));
    reads = freshReads(sequelize);
    // After the handle, as a framework that loads its models late would do.
    sequelize.addModels([User, Post]);
    await reads.ready();
    log = new DecisionLog(reads);
  });
  beforeEach(() => log.take());
  after(async () => {
    await sequelize.close();
    await database.close();
  });

  it('has the reads of its models routed', async () => {
    await database.pauseReplicas();
    await reads.runOperation({}, async () => {
      const user = await User.create({ name: 'ann' });
      await user.$create('post', { title: 'hello' });
      const found = await User.findByPk(user.id, { include: [Post], rejectOnEmpty: true });
      expect(found.posts.map(({ title }) => title)).to.deep.equal(['hello']);
      expect(await user.$count('posts')).to.equal(1);
    });
    expect(log.take()).to.deep.equal([
      'primary not-a-read users',
      'primary not-a-read posts',
      'primary table-written users,posts',
      'primary table-written posts',
    ]);
    await reads.runOperation({}, async () => {
      expect(await User.count()).to.equal(0);
    });
    expect(log.take()).to.deep.equal(['replica no-live-writes users']);
    await database.resumeReplicas();
  });

  it('has loaders for its models and associations', async () => {
    const loaders = createLoaders(reads, {
      user: byKey(User),
      postsOfUser: hasMany(User.associations['posts']! as never),
    });
    await database.pauseReplicas();
    await reads.runOperation({}, async () => {
      const user = await User.create({ name: 'bob' });
      expect(await loaders.user.load(user.id)).to.have.property('name', 'bob');
      expect(await loaders.postsOfUser.load(user as never)).to.deep.equal([]);
      await Post.create({ title: 'later', userId: user.id });
      expect(await loaders.postsOfUser.load(user as never)).to.have.length(1);
    });
    await database.resumeReplicas();
  });
});
