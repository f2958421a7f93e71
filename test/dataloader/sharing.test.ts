import { expect } from 'chai';
import { col, fn } from 'sequelize';
import { belongsTo, belongsToMany, byKey, createLoaders, hasMany } from '../../src/dataloader';
import { Post, Tag, User } from './town';
import { useTown } from './use-town';

describe('rows that answer other loaders', () => {
  const here = useTown();

  const make = () =>
    createLoaders(here.reads, {
      postsOfUser: hasMany(User.associations.posts, { order: ['id'] }),
      post: byKey(Post),
      slimPost: byKey(Post, undefined, { attributes: ['id', 'title'] }),
      postWithComments: byKey(Post, undefined, { include: [Post.associations.comments] }),
      openPost: byKey(Post, 'id', { where: { status: 'open' } }),
      user: byKey(User),
      userByEmail: byKey(User, 'email'),
      author: belongsTo(Post.associations.author),
      tagsOfPost: belongsToMany(Post.associations.tags),
      tag: byKey(Tag),
    });

  it('answers by primary key, by a unique column and by foreign key what was read otherwise', async () => {
    const { postsOfUser, post, user, userByEmail, author } = make();
    await here.reads.runOperation({}, async () => {
      const [first] = await postsOfUser.load(1);
      expect(await post.load(first!.id)).to.equal(first);
      const ann = await author.load(first);
      expect(here.log.take()).to.have.length(2);
      expect(await user.load(1)).to.equal(ann);
      expect(await userByEmail.load('ann@x')).to.equal(ann);
      expect(here.log.take()).to.deep.equal([]);
    });
  });

  it('answers from all that was read before anybody asked, but for what a write has overtaken', async () => {
    const { postsOfUser, post } = make();
    await here.reads.runOperation({}, async () => {
      const [old] = await postsOfUser.load(1);
      await Post.update({ status: 'open' }, { where: { id: -1 } });
      const [[first], [second]] = await Promise.all([postsOfUser.load(1), postsOfUser.load(2)]);
      const [third] = await postsOfUser.load(3);
      here.log.take();
      expect(await post.load(first!.id))
        .to.equal(first)
        .and.not.to.equal(old);
      expect(await post.load(second!.id)).to.equal(second);
      if (third) expect(await post.load(third.id)).to.equal(third);
      expect(here.log.take()).to.deep.equal([]);
    });
  });

  it('answers nothing that would have been other columns, conditions or joins', async () => {
    const { postsOfUser, slimPost, postWithComments, openPost, tagsOfPost, tag } = make();
    await here.reads.runOperation({}, async () => {
      const [first] = await postsOfUser.load(1);
      const [red] = await tagsOfPost.load(1);
      here.log.take();
      expect(await slimPost.load(first!.id)).not.to.equal(first);
      expect(await postWithComments.load(first!.id)).to.have.property('comments');
      expect(await openPost.load(2)).to.equal(null);
      expect(await tag.load(red!.id)).not.to.have.property('PostTag');
      expect(here.log.take()).to.have.length(4);
    });
  });

  it('answers nothing with a column more than the scope has', async () => {
    Post.addScope('defaultScope', { attributes: { exclude: ['authorId'] } }, { override: true });
    Post.addScope('titles', { attributes: ['id', 'title'] });
    Post.addScope('lower', {
      attributes: { include: [[fn('lower', col('title')), 'status']], exclude: ['status'] },
    });
    const { posts, post, titles, title, lower, byId } = createLoaders(here.reads, {
      posts: hasMany(User.associations.posts),
      post: byKey(Post),
      titles: hasMany(User.associations.posts, { scope: 'titles' }),
      title: byKey(Post, undefined, { scope: 'titles' }),
      lower: hasMany(User.associations.posts, { scope: 'lower' }),
      byId: byKey(Post, undefined, { scope: 'lower' }),
    });
    await here.reads.runOperation({}, async () => {
      await Promise.all([posts.load(2), titles.load(2)]);
      expect((await post.load(3))?.toJSON()).to.deep.equal({ id: 3, title: 'b1', status: 'open' });
      expect((await title.load(3))?.toJSON()).to.deep.equal({ id: 3, title: 'b1' });
      const [same] = await lower.load(2);
      expect(await byId.load(3)).to.equal(same);
    });
  });

  it('answers nothing from before a write, nor for who asks for another node', async () => {
    const { postsOfUser, post } = make();
    await here.reads.runOperation({}, async () => {
      const [first] = await postsOfUser.load(1);
      await here.reads.usePrimary(() => post.load(first!.id));
      expect(here.log.take().at(-1)).to.equal('primary asked-primary posts');
      await Post.update({ status: 'open' }, { where: { id: -1 } });
      expect(await post.load(first!.id)).not.to.equal(first);
    });
  });
});
