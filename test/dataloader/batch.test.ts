import { expect } from 'chai';
import type { Transaction } from 'sequelize';
import { isOptionsError } from '../../src';
import { batch, createLoaders } from '../../src/dataloader';
import { Post, User } from './town';
import { useTown } from './use-town';

describe('batch', () => {
  const here = useTown();

  it('runs your own function on keys that differ, routed and cleared like any other', async () => {
    const asked: (readonly { user: number }[])[] = [];
    const { open } = createLoaders(here.reads, {
      open: batch({
        name: 'open posts',
        reads: ['open_posts'],
        load: async (keys: readonly { user: number }[]) => {
          asked.push(keys);
          return keys.map(({ user }) => (user === 0 ? new Error('nobody') : user * 10));
        },
      }),
    });
    await here.reads.runOperation({}, async () => {
      const values = await open.loadMany([{ user: 1 }, { user: 0 }, { user: 1 }]);
      expect([values[0], values[2]]).to.deep.equal([10, 10]);
      expect(values[1]).to.have.property('message', 'nobody');
      expect(asked).to.deep.equal([[{ user: 1 }, { user: 0 }]]);
      await User.update({ name: 'ann' }, { where: { id: 1 } });
      await open.load({ user: 1 });
      expect(asked).to.have.length(1);
      // A view reads what stands behind it.
      await Post.update({ status: 'open' }, { where: { id: -1 } });
      await open.load({ user: 1 });
      expect(asked).to.have.length(2);
    });
  });

  it('is given arguments and transaction, and sends batches no larger than it says', async () => {
    const seen: unknown[] = [];
    const { own } = createLoaders(here.reads, {
      own: batch({
        reads: [],
        maxBatchSize: 2,
        load: async (
          keys: readonly number[],
          { args, transaction }: { args: string; transaction: Transaction | null },
        ) => {
          seen.push([keys.length, args, transaction]);
          return keys;
        },
      }),
    });
    await here.reads.runOperation({}, () => own.with('x').loadMany([1, 2, 3]));
    expect(seen).to.deep.equal([
      [2, 'x', null],
      [1, 'x', null],
    ]);
  });

  it('says once that a table that it reads is none of the database', async () => {
    const { votes } = createLoaders(here.reads, {
      votes: batch({
        name: 'votes',
        reads: ['userz', 'users'],
        load: async (keys: readonly number[]) => keys,
      }),
    });
    for (const id of [1, 2]) await here.reads.runOperation({}, () => votes.load(id));
    expect(here.reads.status().warnings.filter((line) => line.includes('userz'))).to.deep.equal([
      'votes: reads: no table or view userz is known on the search path (of other schemas the full ' +
        'name is needed, as in "schema.table"): every write clears the loader.',
    ]);
  });

  it('says what is wrong with its function', async () => {
    const load = async () => [1, 2];
    const { own } = createLoaders(here.reads, { own: batch({ reads: [], load }) });
    const [error] = await own.loadMany([7 as never]);
    expect(error).to.have.property(
      'message',
      'batch: load must give an array with one value a key, in the order of the 1 keys, got 2 values.',
    );
    expect(() => batch({ load } as never)).to.throw(
      'batch: reads must be an array of the tables that load reads, got undefined.',
    );
    for (const table of [5, '', {}, { table: '' }, { schema: 5, table: 'votes' }, null]) {
      expect(() => batch({ reads: ['votes', table], load } as never))
        .to.throw(
          "batch: reads: a table is 'users', 'schema.users', { schema, table } or a model, got ",
        )
        .that.satisfies(isOptionsError);
    }
    expect(() => batch({ reads: [], load: 1 } as never)).to.throw(
      'batch: load must be a function of keys, got 1.',
    );
  });
});
