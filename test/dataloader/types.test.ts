import { expect } from 'chai';
import { Sequelize } from 'sequelize';
import { freshReads } from '../../src';
import {
  batch,
  type BatchContext,
  belongsTo,
  belongsToMany,
  byKey,
  countOf,
  createLoaders,
  hasMany,
  hasOne,
} from '../../src/dataloader';
import { Post, PostTag, User, town, type Profile, type Tag } from './town';

/** Whether two types are the same, as far as one can be put in the place of the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Compiles only when both types are the same. */
function same<Expected, Actual>(_same: Same<Expected, Actual>): void {
  expect(_same).to.equal(true);
}

type Answer<Loader extends { load(key: never): unknown }> = Awaited<ReturnType<Loader['load']>>;
type Key<Loader> = Loader extends { load(key: infer Input): unknown } ? Input : never;

describe('the types of loaders', () => {
  const sequelize = new Sequelize('postgres://nobody@127.0.0.1:1/none', { logging: false });
  town(sequelize);
  const reads = freshReads(sequelize);

  after(() => sequelize.close());

  const loaders = createLoaders(reads, {
    user: byKey(User),
    userByEmail: byKey(User, 'email'),
    rawUser: byKey(User, 'id', { raw: true }),
    postsByStatus: byKey(Post, 'status', { many: true, limit: 3 }),
    link: byKey(PostTag, ['postId', 'tagId']),
    posts: hasMany(User.associations.posts),
    rawPosts: hasMany(User.associations.posts, { raw: true }),
    postsLike: hasMany(User.associations.posts, {
      where: (args: { status: string }) => ({ status: args.status }),
    }),
    page: hasMany(User.associations.posts, {
      limit: (args?: { first: number }) => args?.first ?? 10,
    }),
    profile: hasOne(User.associations.profile),
    author: belongsTo(Post.associations.author),
    tags: belongsToMany(Post.associations.tags, { through: { where: { weight: 1 } } }),
    count: countOf(User.associations.posts),
    own: batch({ reads: ['x'], load: async (keys: readonly { a: number }[]) => keys.map(String) }),
    withoutArguments: batch({
      reads: ['x'],
      load: async (keys: readonly number[], { transaction }: BatchContext) =>
        keys.map(() => transaction),
    }),
  });

  it('give what the model says, null or a list where nothing may be found', () => {
    same<User | null, Answer<typeof loaders.user>>(true);
    same<User | null, Answer<typeof loaders.userByEmail>>(true);
    same<User['_attributes'] | null, Answer<typeof loaders.rawUser>>(true);
    same<Post[], Answer<typeof loaders.postsByStatus>>(true);
    same<PostTag | null, Answer<typeof loaders.link>>(true);
    same<Post[], Answer<typeof loaders.posts>>(true);
    same<Post['_attributes'][], Answer<typeof loaders.rawPosts>>(true);
    same<Profile | null, Answer<typeof loaders.profile>>(true);
    same<User | null, Answer<typeof loaders.author>>(true);
    same<Tag[], Answer<typeof loaders.tags>>(true);
    same<number, Answer<typeof loaders.count>>(true);
    same<string, Answer<typeof loaders.own>>(true);
  });

  it('take keys of the type of the attribute', () => {
    same<string | number | bigint, Key<typeof loaders.user>>(true);
    same<string | bigint, Key<typeof loaders.userByEmail>>(true);
    same<{ a: number }, Key<typeof loaders.own>>(true);
    same<
      {
        readonly postId: string | number | bigint;
        readonly tagId: string | number | bigint;
      },
      Key<typeof loaders.link>
    >(true);
  });

  it('want arguments where the options do', () => {
    same<Post[], Answer<ReturnType<typeof loaders.postsLike.with>>>(true);
    same<Post[], Answer<typeof loaders.page>>(true);
    same<{ status: string }, Parameters<typeof loaders.postsLike.with>[0]>(true);
    same<'with' | 'clearAll', keyof typeof loaders.postsLike>(true);
    same<false, 'with' extends keyof typeof loaders.withoutArguments ? true : false>(true);
    same<false, 'with' extends keyof typeof loaders.user ? true : false>(true);
  });

  it('refuse what does not exist', () => {
    const never = () => {
      // @ts-expect-error: no such attribute
      byKey(User, 'mail');
      // @ts-expect-error: no such option
      byKey(User, 'email', { odrer: ['id'] });
      // @ts-expect-error: limit is for lists
      byKey(User, 'email', { limit: 3 });
      // @ts-expect-error: not a key of this model
      void loaders.user.load(new Date());
      // @ts-expect-error: null is no key, other than for belongsTo
      void loaders.user.load(null);
      // @ts-expect-error: an instance of another model
      void loaders.posts.load(Post.build({ title: 'x', authorId: 1 }));
      // @ts-expect-error: a part of the key is missing
      void loaders.link.load({ postId: 1 });
      // @ts-expect-error: other arguments than where takes
      void loaders.postsLike.with({ first: 1 });
      // @ts-expect-error: no attribute of the model
      hasMany(User.associations.posts, { attributes: ['id', 'nope'] });
      // @ts-expect-error: no attribute of the model
      hasMany(User.associations.posts, { where: { nope: 1 } });
    };
    expect(never).to.be.a('function');
  });
});
