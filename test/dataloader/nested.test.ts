import { expect } from 'chai';
import { batch, byKey, countOf, createLoaders, hasMany } from '../../src/dataloader';
import { Gate } from '../support/gate';
import { Comment, Post, User } from './town';
import { useTown } from './use-town';

/** What the hooks here put on rows. */
interface Counted {
  count?: number;
}

describe('loaders that ask other loaders', () => {
  const here = useTown();

  const loaders = () =>
    createLoaders(here.reads, {
      user: byKey(User),
      posts: countOf(User.associations.posts),
    });

  /** Users carry the count of their posts, which a hook gets from `posts`. */
  function countPosts({ posts }: Pick<ReturnType<typeof loaders>, 'posts'>) {
    User.addHook('afterFind', async (found: unknown) => {
      for (const row of [found].flat() as (User | null)[]) {
        if (row) (row as Counted).count = await posts.load(row.id);
      }
    });
  }

  const countIn = async (row: Promise<object | null>) => ((await row) as Counted).count;

  it('in a hook: a write to what that one reads is seen', async () => {
    const { user, posts } = loaders();
    countPosts({ posts });
    await here.reads.runOperation({}, async () => {
      expect(await countIn(user.load(3))).to.equal(0);
      await Post.create({ title: 'new', authorId: 3 });
      expect(await countIn(user.load(3))).to.equal(1);
    });
  });

  it('in a hook: also when that one had its answer already', async () => {
    const { user, posts } = loaders();
    countPosts({ posts });
    await here.reads.runOperation({}, async () => {
      const before = await posts.load(2);
      expect(await countIn(user.load(2))).to.equal(before);
      await Post.create({ title: 'new', authorId: 2 });
      expect(await countIn(user.load(2))).to.equal(before + 1);
    });
  });

  it('in a batch function: a write to what that one reads is seen', async () => {
    const { user } = loaders();
    const { name } = createLoaders(here.reads, {
      name: batch<number, string | null | undefined>({
        reads: [],
        load: (ids) => Promise.all(ids.map(async (id) => (await user.load(id))?.name)),
      }),
    });
    await here.reads.runOperation({}, async () => {
      await name.load(3);
      await User.update({ name: 'renamed' }, { where: { id: 3 } });
      expect(await name.load(3)).to.equal('renamed');
      await Comment.update({ body: 'edited' }, { where: { id: 1 } });
      here.log.take();
      expect(await name.load(3)).to.equal('renamed');
      expect(here.log.take()).to.deep.equal([]);
    });
  });

  it('in a circle: a write to what they read is seen', async () => {
    const { down } = createLoaders(here.reads, {
      down: batch<number, string>({
        reads: [],
        load: (ids) =>
          Promise.all(
            ids.map(async (id): Promise<string> => {
              if (id > 1) return `${id} ${await down.load(id - 1)}`;
              return (await User.findByPk(id))?.name ?? '';
            }),
          ),
      }),
    });
    await here.reads.runOperation({}, async () => {
      await down.load(3);
      await User.update({ name: 'at the end' }, { where: { id: 1 } });
      expect(await down.load(3)).to.equal('3 2 at the end');
    });
  });

  it('joining a batch in flight: a load after a write does not wait for that', async () => {
    const { user, posts } = loaders();
    await here.database.pauseReplicas();
    await here.reads.runOperation({}, async () => {
      await user.load(999);
      const gate = new Gate();
      here.sequelize.addHook('beforePoolAcquire', gate.pass);
      const counting = posts.load(1);
      await gate.reached;
      const joined = new Gate();
      User.addHook('afterFind', joined.pass);
      joined.open();
      countPosts({ posts });
      const before = countIn(user.load(1));
      await joined.reached;
      await new Promise(setImmediate);
      await Post.create({ title: 'meanwhile', authorId: 1 });
      const after = countIn(user.load(1));
      gate.open();
      expect(await before).to.equal(await counting);
      expect(await after).to.equal((await counting) + 1);
    });
    await here.database.resumeReplicas();
  });

  it('offers no row to others that a write to what the asked one reads has overtaken', async () => {
    const { comments, list, post } = createLoaders(here.reads, {
      comments: countOf(Post.associations.comments),
      list: hasMany(User.associations.posts),
      post: byKey(Post),
    });
    Post.addHook('afterFind', async (found: unknown) => {
      for (const row of [found].flat() as Post[]) {
        (row as Counted).count = await comments.load(row.id);
      }
    });
    await here.reads.runOperation({}, async () => {
      await list.load(2);
      await Comment.create({ body: 'new', postId: 3 });
      const { count } = (await Comment.findAndCountAll({ where: { postId: 3 } })) as Counted;
      expect(await countIn(post.load(3))).to.equal(count);
    });
  });

  it('counts no loads of what a batch left running', async () => {
    const { user, posts } = loaders();
    const gate = new Gate();
    let left: Promise<unknown> | undefined;
    User.addHook('afterFind', () => {
      left ??= gate.pass().then(() => posts.load(1));
    });
    await here.reads.runOperation({}, async () => {
      const row = await user.load(1);
      gate.open();
      await left;
      await Post.create({ title: 'new', authorId: 1 });
      expect(await user.load(1)).to.equal(row);
    });
  });
});
