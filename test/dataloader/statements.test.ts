import { expect } from 'chai';
import { Sequelize } from 'sequelize';
import { byKey, createLoaders, hasMany } from '../../src/dataloader';
import { Post, User } from './town';
import { useTown } from './use-town';

describe('the statements of a batch', () => {
  const here = useTown();

  it('leaves alone what hooks and separate includes send, and gives each a decision of its own', async () => {
    const { posts } = createLoaders(here.reads, {
      posts: hasMany(User.associations.posts, {
        limit: 1,
        order: ['id'],
        include: [{ association: Post.associations.comments, separate: true }],
      }),
    });
    Post.addHook('beforeFind', 'look', async () => {
      await User.findOne({ where: { name: `"fresh_reads_keys"."part0"` } });
    });
    const lists = await here.reads.runOperation({}, () =>
      Promise.all([posts.load(1), posts.load(2)]),
    );
    Post.removeHook('beforeFind', 'look');
    expect(lists.map(([post]) => post?.comments?.length)).to.deep.equal([2, 1]);
    expect(here.log.take()).to.deep.equal([
      'replica no-live-writes users',
      'replica no-live-writes posts',
      'replica no-live-writes comments',
    ]);
  });

  it('fails when a hook takes the keys out of its query', async () => {
    const { posts } = createLoaders(here.reads, {
      posts: hasMany(User.associations.posts, { limit: 1 }),
    });
    Post.addHook('beforeFind', 'spoil', (options: { where?: unknown }) => {
      options.where = { status: 'open' };
    });
    const [error] = await here.reads.runOperation({}, () => posts.loadMany([1]));
    Post.removeHook('beforeFind', 'spoil');
    expect(error).to.have.property(
      'message',
      'hasMany(User.posts): the query for all keys was not sent in its form; a hook may have replaced its conditions.',
    );
  });

  it('reports an outside batch once, decided by all writes of the process', async () => {
    const { user } = createLoaders(here.reads, { user: byKey(User) });
    await here.reads.runOperation({}, () => User.update({ name: 'x' }, { where: { id: -1 } }));
    here.log.take();
    await Promise.all([user.load(1), user.load(2)]);
    expect(here.log.take()).to.deep.equal(['primary table-written users']);
  });

  it('refuses a model of another instance', async () => {
    const other = new Sequelize('postgres://nobody@127.0.0.1:1/none', { logging: false });
    const Stranger = other.define('Stranger', {});
    expect(() => createLoaders(here.reads, { it: byKey(Stranger) })).to.throw(
      'createLoaders: "it" is byKey(Stranger), whose model belongs to another Sequelize instance than the handle given.',
    );
    await other.close();
  });
});
