import { expect } from 'chai';
import { byKey, createLoaders, hasMany } from '../../src/dataloader';
import { User } from './town';
import { useTown } from './use-town';

describe('loaders with arguments', () => {
  const here = useTown();

  it('batches and caches by equal arguments', async () => {
    const { posts } = createLoaders(here.reads, {
      posts: hasMany(User.associations.posts, {
        where: ({ status }: { status: string; first?: number }) => ({ status }),
        limit: ({ first }) => first,
        order: ['id'],
      }),
    });
    await here.reads.runOperation({}, async () => {
      const titles = async (args: { status: string; first?: number }, id: number) =>
        (await posts.with(args).load(id)).map(({ title }) => title);
      const lists = await Promise.all([
        titles({ status: 'open' }, 1),
        titles({ first: undefined, status: 'open' }, 2),
        titles({ status: 'done' }, 1),
        titles({ status: 'open', first: 0 }, 1),
      ]);
      expect(lists).to.deep.equal([['a1'], ['b1'], ['a2'], []]);
      expect(here.log.take()).to.have.length(3);
      await titles({ status: 'open' }, 1);
      expect(here.log.take()).to.have.length(0);
      posts.clearAll();
      await titles({ status: 'done' }, 1);
      expect(here.log.take()).to.have.length(1);
    });
  });

  it('says what is wrong with arguments', async () => {
    const { posts, user } = createLoaders(here.reads, {
      user: byKey(User),
      posts: hasMany(User.associations.posts, {
        where: ({ status }: { status: string }) => ({ status }),
        limit: ({ status }) => status.length - 2,
      }),
    });
    const message = (promise: Promise<unknown>) =>
      promise.then(
        () => 'no error',
        (error: unknown) => (error as Error).message,
      );
    expect(
      await message((posts as unknown as { load(id: number): Promise<unknown> }).load(1)),
    ).to.equal(
      'hasMany(User.posts): limit depends on arguments and none were given; write .with(arguments).load(key).',
    );
    expect(await message(posts.with({ status: 'x' }).load(1))).to.equal(
      'hasMany(User.posts): limit must be a whole number, 0 or more, got -1.',
    );
    expect(() => posts.with({ status: new Map() as never })).to.throw(
      'hasMany(User.posts): what with() takes must be plain data, got an instance of Map.',
    );
    expect(() => (user as unknown as { with(args: object): unknown }).with({})).to.throw(
      'byKey(User): with(arguments) is for loaders whose where, order, limit or offset is a function of them, and of batch.',
    );
  });
});
