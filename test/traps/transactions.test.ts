import { expect } from 'chai';
import { DataTypes, QueryTypes, Transaction } from 'sequelize';
import { connect, prepare, type Setting } from './support';

describe('transactions that end in another way', () => {
  let setting: Setting;

  before(async () => {
    setting = await prepare([
      'CREATE TABLE users (id serial PRIMARY KEY, name text UNIQUE)',
      "INSERT INTO users (name) VALUES ('first')",
    ]);
  });
  after(() => setting.database.close());

  const states = () => setting.reads.history().map(({ table, state }) => `${table} ${state}`);
  const inOperation = (fn: () => Promise<void>) => setting.reads.runOperation({}, fn);

  for (const between of ['COMMIT AND CHAIN', 'COMMIT; BEGIN']) {
    it(`${between}: what it committed is not undone by the ROLLBACK after it`, () =>
      inOperation(async () => {
        const transaction = await setting.sequelize.transaction();
        await setting.sequelize.query('INSERT INTO users (name) VALUES (gen_random_uuid()::text)', {
          transaction,
        });
        await setting.sequelize.query(between, { transaction });
        await transaction.rollback();
        expect(states()).to.deep.equal(['users committed']);
      }));
  }

  it('a procedure that commits, and fails later', () =>
    inOperation(async () => {
      await setting.sequelize.query(`CREATE PROCEDURE halfway() LANGUAGE plpgsql AS
        $$ BEGIN UPDATE users SET name = 'half' WHERE id = 1; COMMIT; PERFORM 1 / 0; END $$`);
      await setting.reads.refreshCatalog();
      await setting.reads.runOperation({}, async () => {
        await setting.sequelize.query('CALL halfway()').catch(() => undefined);
      });
      // The status of the connection is settled a moment after the error.
      while (!states().includes('users committed')) await new Promise(setImmediate);
    }));

  it('a unique violation in a transaction that is rolled back: the row it told of is found', async () => {
    const { database, sequelize, reads } = setting;
    const User = sequelize.define('user', { name: DataTypes.TEXT }, { timestamps: false });
    await database.pauseReplicas();
    try {
      // Somebody else makes the row a moment earlier.
      const other = database.connect();
      await other.query("INSERT INTO users (name) VALUES ('taken')");
      await reads.runOperation({}, async () => {
        const error: unknown = await sequelize
          .transaction((transaction) => User.create({ name: 'taken' }, { transaction }))
          .catch((reason: unknown) => reason);
        expect(error).to.have.property('name', 'SequelizeUniqueConstraintError');
        expect(await User.findOne({ where: { name: 'taken' } })).not.to.equal(null);
      });
    } finally {
      await database.resumeReplicas();
    }
  });

  it('a read-only transaction that is SERIALIZABLE, which no standby can be', async () => {
    const { sequelize, reads } = setting;
    const count = await reads.runOperation({}, () =>
      sequelize.transaction(
        { readOnly: true, isolationLevel: Transaction.ISOLATION_LEVELS.SERIALIZABLE },
        async (transaction) => {
          const [row] = await sequelize.query<{ n: number }>(
            'SELECT count(*)::int AS n FROM users',
            {
              type: QueryTypes.SELECT,
              transaction,
            },
          );
          return row?.n;
        },
      ),
    );
    expect(count).to.be.above(0);
  });

  it('a read-only transaction on an instance that is SERIALIZABLE by default', async () => {
    const { sequelize: strict, reads } = await connect(setting.database, {
      sequelize: { isolationLevel: Transaction.ISOLATION_LEVELS.SERIALIZABLE },
    });
    await reads.runOperation({}, () =>
      strict.transaction({ readOnly: true }, (transaction) =>
        strict.query('SELECT count(*) FROM users', { type: QueryTypes.SELECT, transaction }),
      ),
    );
  });
});
