import { expect } from 'chai';
import { col, fn, type FindOptions, type Model, type ModelStatic } from 'sequelize';
import { belongsToMany, byKey, createLoaders, hasMany } from '../../src/dataloader';
import { Post, Tag, User } from './town';
import { useTown } from './use-town';

describe('a hook that gives queries a limit or an offset', () => {
  const here = useTown();
  const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

  it('has it count for each key', async () => {
    const { posts, tags } = createLoaders(here.reads, {
      posts: hasMany(User.associations.posts, { order: ['id'] }),
      tags: belongsToMany(Post.associations.tags, { order: ['id'] }),
    });
    for (const model of [Post, Tag] as ModelStatic<Model>[]) {
      model.addHook('beforeFind', (options: FindOptions) => {
        options.limit ??= 1;
      });
    }
    const lists = await Promise.all([posts.load(1), posts.load(2), posts.load(3)]);
    expect(lists.map(idsOf)).to.deep.equal([[1], [3], []]);
    expect((await Promise.all([tags.load(1), tags.load(3)])).map(idsOf)).to.deep.equal([[1], [1]]);
    here.log.take();
    await Promise.all([posts.load(1), posts.load(2)]);
    expect(here.log.take()).to.have.length(1);
  });

  it('has it count for each key of a loader of one row, and beside an own limit not at all', async () => {
    const { user, posts } = createLoaders(here.reads, {
      user: byKey(User),
      posts: hasMany(User.associations.posts, { order: ['id'], limit: 2 }),
    });
    for (const model of [User, Post] as ModelStatic<Model>[]) {
      model.addHook('beforeFindAfterOptions', (options: FindOptions) => {
        options.limit ??= 1;
      });
    }
    const users = await user.loadMany([1, 2, 3]);
    expect(users.map((found) => (found as User | null)?.id)).to.deep.equal([1, 2, 3]);
    expect(idsOf(await posts.load(1))).to.deep.equal([1, 2]);
  });

  it('counts for each key where it is one of the instance, and where findAll is of the model itself', async () => {
    const findAll = Post.findAll.bind(Post);
    const { posts, tags } = createLoaders(here.reads, {
      posts: hasMany(User.associations.posts, { order: ['id'] }),
      tags: belongsToMany(Post.associations.tags, { order: ['id'] }),
    });
    try {
      Object.assign(Post, { findAll: (options: FindOptions) => findAll({ ...options, limit: 1 }) });
      here.sequelize.addHook('beforeFind', (options: FindOptions) => {
        options.limit ??= 1;
      });
      const lists = await Promise.all([posts.load(1), posts.load(2), tags.load(1), tags.load(3)]);
      expect(lists.map(idsOf)).to.deep.equal([[1], [3], [1], [1]]);
    } finally {
      Reflect.deleteProperty(Post, 'findAll');
    }
  });

  it('counts for each key as an offset, and by the number of the key where an alias hides it', async () => {
    const { posts, names } = createLoaders(here.reads, {
      posts: hasMany(User.associations.posts, { order: ['id'] }),
      names: byKey(User, 'name', { attributes: ['id', [fn('upper', col('name')), 'name']] }),
    });
    Post.addHook('beforeFind', (options: FindOptions) => {
      options.offset ??= 1;
    });
    User.addHook('beforeFind', (options: FindOptions) => {
      options.limit ??= 1;
    });
    const lists = await Promise.all([posts.load(1), posts.load(2)]);
    expect(lists.map(idsOf)).to.deep.equal([[2], []]);
    const found = await names.loadMany(['ann', 'bob']);
    expect(found.map((row) => (row as User | null)?.id)).to.deep.equal([1, 2]);
  });
});
