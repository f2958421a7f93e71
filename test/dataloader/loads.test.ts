import { expect } from 'chai';
import type { Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { belongsTo, byKey, createLoaders, hasMany } from '../../src/dataloader';
import { runInFrame } from '../../src/operation';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { Post, TABLES, User, town } from './town';

describe('loaders', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let log: DecisionLog;

  before(async () => {
    database = await createDatabase(...TABLES);
    sequelize = database.connect();
    town(sequelize);
    reads = freshReads(sequelize);
    await reads.ready();
  });

  beforeEach(() => {
    log = new DecisionLog(reads);
  });

  afterEach(() => log.dispose());

  after(() => database.close());

  function make() {
    return createLoaders(reads, {
      user: byKey(User),
      userByEmail: byKey(User, 'email'),
      postsByStatus: byKey(Post, 'status', { many: true, order: ['id'] }),
      postsOfUser: hasMany(User.associations.posts, { order: [['id', 'DESC']] }),
      author: belongsTo(Post.associations.author),
    });
  }

  const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

  it('finds one row a key, and null where there is none', async () => {
    const { user, userByEmail } = make();
    await reads.runOperation({}, async () => {
      const [ann, nobody, bob] = await Promise.all([user.load(1), user.load(99), user.load('2')]);
      expect(ann).to.be.instanceOf(User).and.to.have.property('name', 'ann');
      expect(nobody).to.equal(null);
      expect(bob).to.have.property('name', 'bob');
      expect(await userByEmail.load('cy@x')).to.have.property('id', 3);
    });
    expect(log.take()).to.have.length(2);
  });

  it('finds all rows of a key, in order, and an empty array where there are none', async () => {
    const { postsByStatus, postsOfUser } = make();
    await reads.runOperation({}, async () => {
      const [open, gone] = await Promise.all([postsByStatus.load('open'), postsByStatus.load('x')]);
      expect(ids(open)).to.deep.equal([1, 3, 4]);
      expect(gone).to.deep.equal([]);
      const ann = await User.findByPk(1, { rejectOnEmpty: true });
      log.take();
      const lists = await Promise.all([
        postsOfUser.load(ann),
        postsOfUser.load(2),
        postsOfUser.load(3),
      ]);
      expect(lists.map(ids)).to.deep.equal([[2, 1], [3], []]);
    });
    expect(log.take()).to.have.length(1);
  });

  it('finds the parent by foreign key or by child, without a query for a null one', async () => {
    const { author } = make();
    await reads.runOperation({}, async () => {
      const posts = await Post.findAll({ order: ['id'] });
      log.take();
      const authors = await Promise.all(posts.map((post) => author.load(post)));
      expect(authors.map((user) => user?.id)).to.deep.equal([1, 1, 2, undefined]);
      expect(log.take()).to.have.length(1);
      expect(await author.load(null)).to.equal(null);
      expect(await author.load(undefined)).to.equal(null);
      expect(log.take()).to.deep.equal([]);
    });
  });

  it('answers a key once an operation, and keeps operations apart', async () => {
    const { user } = make();
    const load = () =>
      reads.runOperation({}, async () => {
        const first = await user.load(1);
        expect(await user.load(1)).to.equal(first);
        expect(await user.load('1')).to.equal(first);
        return first;
      });
    const [one, other] = await Promise.all([load(), load()]);
    expect(one).not.to.equal(other);
    expect(log.take()).to.have.length(2);
  });

  it('batches outside any operation, and caches nothing', async () => {
    const { user } = make();
    await Promise.all([user.load(1), user.load(2), user.load(1)]);
    expect(log.take()).to.have.length(1);
    await user.load(1);
    expect(log.take()).to.have.length(1);
    user.prime(1, null);
    expect(await user.load(1)).to.have.property('name', 'ann');
  });

  it('forgets what it is told to, and takes what it is given', async () => {
    const { user } = make();
    await reads.runOperation({}, async () => {
      await user.loadMany([1, 2]);
      log.take();
      await user.clear(1).loadMany([1, 2]);
      expect(log.take()).to.have.length(1);
      user.clearAll();
      const given = User.build({ id: 3, email: 'made up' });
      expect(await user.prime(3, given).load(3)).to.equal(given);
      expect(log.take()).to.deep.equal([]);
    });
  });

  it('answers both loads of a key that was forgotten between them in one tick', async () => {
    const { user, postsOfUser } = make();
    await reads.runOperation({}, async () => {
      const first = [user.load(1), postsOfUser.load(1)] as const;
      user.clear(1);
      postsOfUser.clearAll();
      const second = [user.load(1), postsOfUser.load(1)] as const;
      for (const [row, posts] of [await Promise.all(first), await Promise.all(second)]) {
        expect(row).to.have.property('name', 'ann');
        expect(ids(posts)).to.deep.equal([2, 1]);
      }
      expect(log.take()).to.have.length(2);
    });
  });

  it('names the resolvers of all keys in the one decision of a batch', async () => {
    const { user } = make();
    const from = (resolver: string, id: number) => runInFrame({ resolver }, () => user.load(id));
    await reads.runOperation({ id: 'one' }, () =>
      Promise.all([from('Post.author', 1), from('Query.user', 2), from('Post.author', 3)]),
    );
    expect(log.all).to.have.length(1);
    expect(log.all[0]).to.deep.include({
      tables: ['users'],
      resolver: 'Post.author',
      resolvers: ['Post.author', 'Query.user'],
    });
    expect(log.all[0]?.operation).to.have.property('id', 'one');
  });
});
