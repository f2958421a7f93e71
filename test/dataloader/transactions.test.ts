import { createNamespace } from 'cls-hooked';
import { expect } from 'chai';
import { Sequelize, type Transaction } from 'sequelize';
import { batch, byKey, createLoaders } from '../../src/dataloader';
import { User } from './town';
import { useTown } from './use-town';

describe('loaders inside transactions', () => {
  const here = useTown();

  const make = () => createLoaders(here.reads, { user: byKey(User) });

  async function inTransaction(fn: (transaction: Transaction) => Promise<void>): Promise<void> {
    const transaction = await here.sequelize.transaction();
    try {
      await fn(transaction);
    } finally {
      await transaction.rollback();
    }
  }

  it('batches loads inside a transaction in it, and apart from those outside', async () => {
    const { user } = make();
    await here.reads.runOperation({}, () =>
      inTransaction(async (transaction) => {
        await User.update({ name: 'inside' }, { where: { id: [1, 2] }, transaction });
        here.log.take();
        const inside = user.within(transaction);
        const [one, two, outside] = await Promise.all([
          inside.load(1),
          inside.load(2),
          user.load(1),
        ]);
        expect([one?.name, two?.name]).to.deep.equal(['inside', 'inside']);
        expect(outside).not.to.have.property('name', 'inside');
        expect(here.log.take().sort()).to.deep.equal([
          'primary in-transaction users',
          'primary table-written users',
        ]);
      }),
    );
  });

  it('keeps nothing that was read inside, and primes nothing with it', async () => {
    const { user } = make();
    await here.reads.runOperation({}, async () => {
      let inside: User | null = null;
      await inTransaction(async (transaction) => {
        await User.update({ name: 'undone' }, { where: { id: 3 }, transaction });
        inside = await user.within(transaction).load(3);
        await User.update({ name: 'again' }, { where: { id: 3 }, transaction });
        expect(await user.within(transaction).load(3)).to.have.property('name', 'again');
      });
      expect(inside).to.have.property('name', 'undone');
      expect(await user.prime(3, inside).load(3)).to.have.property('name', 'cy');
    });
  });

  it('asks once for a key that is loaded twice in one tick', async () => {
    const { user } = make();
    await inTransaction(async (transaction) => {
      const inside = user.within(transaction);
      const [one, other, two] = await Promise.all([
        inside.load(1),
        inside.load('1'),
        inside.load(2),
      ]);
      expect(one).to.equal(other);
      expect(two).to.have.property('id', 2);
    });
    expect(here.log.take()).to.deep.equal(['primary in-transaction users']);
  });

  it('takes the transaction that an option gives', async () => {
    await inTransaction(async (transaction) => {
      let current: Transaction | null = transaction;
      const { user } = createLoaders(here.reads, {
        user: byKey(User, undefined, { transaction: () => current }),
      });
      await here.reads.runOperation({}, async () => {
        await user.load(1);
        current = null;
        await user.load(1);
      });
    });
    expect(here.log.take()).to.deep.equal([
      'primary in-transaction users',
      'replica no-live-writes users',
    ]);
  });

  it('follows CLS key by key, whichever load came first', async () => {
    const namespace = createNamespace('loaders');
    Sequelize.useCLS(namespace);
    try {
      const { user, names } = createLoaders(here.reads, {
        user: byKey(User),
        names: batch({
          reads: [User],
          load: async (ids: readonly number[]) => {
            const rows = await User.findAll({ where: { id: [...ids] } });
            return ids.map((id) => rows.find((row) => row.id === id)?.name ?? '');
          },
        }),
      });
      await here.reads.runOperation({}, async () => {
        await here.sequelize
          .transaction(async (transaction) => {
            await User.update({ name: 'in CLS' }, { where: { id: 1 } });
            here.log.take();
            const inside = [user.load(1), names.load(1)] as const;
            const outside = [user.within(null).load(1), names.within(null).load(1)] as const;
            expect(await inside[0]).to.have.property('name', 'in CLS');
            expect(await inside[1]).to.equal('in CLS');
            expect(await outside[0]).to.have.property('name', 'ann');
            expect(await outside[1]).to.equal('ann');
            await transaction.rollback();
          })
          .catch(() => undefined);
      });
      expect(here.log.take().sort()).to.deep.equal([
        'primary in-transaction users',
        'primary in-transaction users',
        'primary table-written users',
        'primary table-written users',
      ]);
    } finally {
      delete (Sequelize as unknown as { _cls?: unknown })._cls;
    }
  });
});
