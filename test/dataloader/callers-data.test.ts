import { expect } from 'chai';
import { Op } from 'sequelize';
import { batch, byKey, createLoaders, hasMany } from '../../src/dataloader';
import { User } from './town';
import { useTown } from './use-town';

describe('what callers of loaders do to their own data', () => {
  const here = useTown();

  it('arguments changed after a load ask for other rows, and change nothing for others', async () => {
    const { posts } = createLoaders(here.reads, {
      posts: hasMany(User.associations.posts, {
        where: ({ status }: { status: string }) => ({ status }),
      }),
    });
    const statusesIn = async (rows: Promise<{ status: string }[]>) =>
      (await rows).map(({ status }) => status);
    await here.reads.runOperation({}, async () => {
      const args = { status: 'open' };
      const open = posts.with(args).load(1);
      args.status = 'done';
      expect(await statusesIn(posts.with(args).load(1))).to.deep.equal(['done']);
      expect(await statusesIn(open)).to.deep.equal(['open']);
      expect(await statusesIn(posts.with({ status: 'open' }).load(2))).to.deep.equal(['open']);
    });
  });

  it('arguments come with their operators, dates and buffers', async () => {
    const { own } = createLoaders(here.reads, {
      own: batch({
        reads: [],
        load: async (ids: readonly number[], { args }: { args: object }) => ids.map(() => args),
      }),
    });
    const args = () => ({
      where: { id: { [Op.in]: [1, 2] }, at: new Date(5), bytes: Buffer.from('ab') },
      none: null,
    });
    const given = args();
    const loader = own.with(given);
    given.where.at.setTime(0);
    given.where.bytes.fill(0);
    given.where.id[Op.in].push(3);
    expect(await loader.load(1)).to.deep.equal(args());
  });

  it('keys changed after a load are other keys', async () => {
    const { own } = createLoaders(here.reads, {
      own: batch({
        reads: [],
        load: async (keys: readonly { id: number }[]) => keys.map(({ id }) => id),
      }),
    });
    const key = { id: 1 };
    const first = own.load(key);
    key.id = 2;
    expect(await Promise.all([first, own.load(key)])).to.deep.equal([1, 2]);
  });

  it('rows may be frozen, and are primed no more after a write', async () => {
    const { user, own } = createLoaders(here.reads, {
      user: byKey(User),
      own: batch({
        reads: [],
        load: async (ids: readonly number[]) =>
          ids.map((id) => Object.freeze(User.build({ id, email: 'x' }))),
      }),
    });
    User.addHook('afterFind', (found: unknown) => {
      for (const row of [found].flat()) Object.freeze(row);
    });
    await here.reads.runOperation({}, async () => {
      expect(await own.load(5)).to.have.property('id', 5);
      const row = await user.load(1);
      await User.update({ name: 'thawed' }, { where: { id: 1 } });
      user.prime(1, row);
      expect(await user.load(1)).to.have.property('name', 'thawed');
    });
  });

  it('no transaction is refused with what is wrong', async () => {
    const option = { value: undefined as unknown };
    const { user, optional } = createLoaders(here.reads, {
      user: byKey(User),
      optional: byKey(User, undefined, { transaction: () => option.value as null }),
    });
    for (const [value, shown] of [
      [5, '5'],
      ['x', '"x"'],
      [{}, '{}'],
      [Promise.resolve(null), 'an instance of Promise; await it first'],
    ] as const) {
      expect(() => user.within(value as never)).to.throw(
        `byKey(User): within(transaction) takes a transaction of sequelize.transaction() or null, got ${shown}.`,
      );
      option.value = value;
      const error: unknown = await optional.load(1).catch((reason: unknown) => reason);
      expect(error)
        .to.have.property('message')
        .that.equals(
          `byKey(User): the function given as transaction must give a transaction of sequelize.transaction() or null, got ${shown}.`,
        );
    }
    expect(() => byKey(User, undefined, { transaction: {} as never })).to.throw(
      'byKey(User): transaction must be a transaction or a function, got {}.',
    );
  });
});
