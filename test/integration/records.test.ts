import { expect } from 'chai';
import {
  DataTypes,
  QueryTypes,
  Transaction,
  type Model,
  type ModelStatic,
  type Sequelize,
} from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

describe('write records', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let User: ModelStatic<Model>;

  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial PRIMARY KEY, name text)',
      'CREATE TABLE posts (id serial PRIMARY KEY, title text)',
      `CREATE TABLE pairs (id int PRIMARY KEY, other int REFERENCES pairs DEFERRABLE INITIALLY DEFERRED)`,
    );
  });

  beforeEach(async () => {
    sequelize = database.connect();
    reads = freshReads(sequelize, { freshness: { mode: 'fixed', windowMs: 60_000 } });
    User = sequelize.define('user', { name: DataTypes.TEXT }, { timestamps: false });
    await reads.ready();
  });

  afterEach(() => sequelize.close());
  after(() => database.close());

  const states = () => reads.history().map(({ table, state }) => `${table} ${state}`);
  const inOperation = (fn: () => Promise<void>) => reads.runOperation({}, fn);
  const insert = "INSERT INTO users (name) VALUES ('x')";

  /** Resolves once the record of `table` is in `state`: whatever happens next to it is awaited. */
  async function reaches(expected: string): Promise<void> {
    const deadline = Date.now() + 20_000;
    while (!states().includes(expected)) {
      if (Date.now() > deadline) throw new Error(`never ${expected}: ${states().join()}`);
      await new Promise(setImmediate);
    }
  }

  it('savepoints: nothing is committed before the outer COMMIT', () =>
    inOperation(async () => {
      await sequelize.transaction(async (outer) => {
        await sequelize.transaction({ transaction: outer }, async (inner) => {
          await User.create({ name: 'a' }, { transaction: inner });
        });
        expect(states()).to.deep.equal(['users uncommitted']);
      });
      expect(states()).to.deep.equal(['users committed']);
    }));

  it('a rolled back savepoint keeps its record until the end of the transaction', () =>
    inOperation(async () => {
      await sequelize.transaction(async (outer) => {
        await sequelize
          .transaction({ transaction: outer }, async (inner) => {
            await User.create({ name: 'a' }, { transaction: inner });
            throw new Error('inner');
          })
          .catch(() => undefined);
        expect(states()).to.deep.equal(['users uncommitted']);
      });
    }));

  it('an afterCommit hook already finds the commit in the books', () =>
    inOperation(async () => {
      let seen: string[] = [];
      await sequelize.transaction(async (transaction) => {
        transaction.afterCommit(() => {
          seen = states();
        });
        await User.create({ name: 'a' }, { transaction });
      });
      expect(seen).to.deep.equal(['users committed']);
    }));

  it('raw BEGIN ... COMMIT in one text', () =>
    inOperation(async () => {
      await sequelize.query(`BEGIN; ${insert}; COMMIT`);
      expect(states()).to.deep.equal(['users committed']);
    }));

  it('a raw COMMIT inside a managed transaction', () =>
    inOperation(async () => {
      await sequelize.transaction(async (transaction) => {
        await sequelize.query(insert, { transaction });
        await sequelize.query('COMMIT', { transaction });
        expect(states()).to.deep.equal(['users committed']);
      });
    }));

  it('a COMMIT that is a ROLLBACK in truth leaves no record', () =>
    inOperation(async () => {
      await sequelize.transaction(async (transaction) => {
        await sequelize.query(insert, { transaction });
        await sequelize.query('SELECT 1/0', { transaction }).catch(() => undefined);
        await reaches('users uncommitted');
      });
      expect(states()).to.deep.equal([]);
    }));

  it('a failed COMMIT counts as a commit', () =>
    inOperation(async () => {
      const warn = console.warn;
      console.warn = () => undefined;
      try {
        await sequelize
          .transaction((transaction) =>
            sequelize.query('INSERT INTO pairs VALUES (1, 2)', { transaction }),
          )
          .catch(() => undefined);
      } finally {
        console.warn = warn;
      }
      expect(states()).to.deep.equal(['pairs committed']);
    }));

  it('a refused statement counts, in a transaction and outside', () =>
    inOperation(async () => {
      await sequelize.query("INSERT INTO users (id, name) VALUES (1000, 'x')");
      await sequelize.query('UPDATE posts SET id = 1/0').catch(() => undefined);
      // Not before the server is ready again: only then the status of the connection is settled.
      await reaches('posts committed');
      const transaction = await sequelize.transaction();
      await sequelize
        .query('INSERT INTO pairs VALUES (1/0)', { transaction })
        .catch(() => undefined);
      await reaches('pairs uncommitted');
      await transaction.rollback();
      expect(states()).to.deep.equal(['users committed', 'posts committed']);
    }));

  it('overlapping writes of one table: the one still open holds the table', () =>
    inOperation(async () => {
      const [first, second] = await Promise.all([sequelize.transaction(), sequelize.transaction()]);
      await sequelize.query(insert, { transaction: first });
      await sequelize.query(insert, { transaction: second });
      await first.commit();
      expect(states()).to.deep.equal(['users uncommitted']);
      await second.rollback();
      expect(states()).to.deep.equal(['users committed']);
    }));

  it('is marked before the statement is sent, so that a hook of the model finds it', () =>
    inOperation(async () => {
      let seen: string[] = [];
      User.afterCreate(() => {
        seen = states();
      });
      await User.create({ name: 'a' });
      expect(seen).to.deep.equal(['users committed']);
      const pending = sequelize.query('SELECT pg_sleep(0.05); ' + insert);
      await reaches('users in-flight');
      await pending;
    }));

  it('a statement that another hook stops is not counted', () =>
    inOperation(async () => {
      sequelize.addHook('beforeQuery', 'stop', () => {
        throw new Error('stopped');
      });
      await sequelize.query(insert).catch(() => undefined);
      expect(states()).to.deep.equal([]);
    }));

  it('a connection killed while idle in a transaction: unknown, until its process is gone', () =>
    inOperation(async () => {
      const transaction = await sequelize.transaction();
      await sequelize.query(insert, { transaction });
      const [{ pid }] = (await sequelize.query('SELECT pg_backend_pid() AS pid', {
        transaction,
        type: QueryTypes.SELECT,
      })) as [{ pid: number }];
      await database.cluster.primary.query(`SELECT pg_terminate_backend(${pid})`);
      await reaches('users committed');
      await transaction.rollback().catch(() => undefined);
      expect(states()).to.deep.equal(['users committed']);
    }));

  it('a client time-out: in flight until the server has committed, however long that takes', async () => {
    const impatient = database.connect({
      dialectOptions: { query_timeout: 1000 },
    });
    const impatientReads = freshReads(impatient, {
      freshness: { mode: 'fixed', windowMs: 60_000 },
    });
    await impatientReads.ready();
    // The row is locked, so that the server is still at work when the client has given up.
    const lock = await sequelize.transaction();
    await sequelize.query("INSERT INTO posts (id, title) VALUES (77, 'x')");
    await sequelize.query("UPDATE posts SET title = 'locked' WHERE id = 77", { transaction: lock });
    await impatientReads.runOperation({}, async () => {
      const state = () => impatientReads.history().map((record) => record.state);
      const update = impatient.query("UPDATE posts SET title = 'late' WHERE id = 77");
      const error: Error = await update.then(
        () => expect.fail('should have timed out'),
        (reason: unknown) => reason as Error,
      );
      expect(error.message).to.equal('Query read timeout');
      expect(state()).to.deep.equal(['in-flight']);
      await lock.commit();
      const deadline = Date.now() + 20_000;
      while (state()[0] !== 'committed' && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      expect(state()).to.deep.equal(['committed']);
    });
    const [row] = await sequelize.query<{ title: string }>(
      'SELECT title FROM posts WHERE id = 77',
      {
        type: QueryTypes.SELECT,
        useMaster: true,
      },
    );
    expect(row?.title).to.equal('late');
    await impatient.close();
  });

  it('a value that the driver can not send: over when the connection is ready again', () =>
    inOperation(async () => {
      const transaction = await sequelize.transaction();
      const circular: Record<string, unknown> = {};
      circular['self'] = circular;
      await sequelize
        .query('INSERT INTO posts (title) VALUES ($1)', { bind: [circular], transaction })
        .then(
          () => expect.fail('should have been refused'),
          () => undefined,
        );
      await transaction.rollback();
      await sequelize.query(insert);
      expect(states().filter((state) => state.includes('in-flight'))).to.deep.equal([]);
    }));

  it('two-phase commit: uncommitted until COMMIT PREPARED, whoever sends it', () =>
    inOperation(async () => {
      const transaction = await sequelize.transaction({
        isolationLevel: Transaction.ISOLATION_LEVELS.READ_COMMITTED,
      });
      await sequelize.query(insert, { transaction });
      await sequelize.query("PREPARE TRANSACTION 'two'", { transaction });
      expect(states()).to.deep.equal(['users uncommitted']);
      await transaction.commit();
      expect(states()).to.deep.equal(['users uncommitted']);
      await database.run("COMMIT PREPARED 'two'");
      await reaches('users committed');
    }));

  it('a long transaction: the window starts at its commit', async () => {
    await reads.close();
    reads = freshReads(sequelize, { freshness: { mode: 'fixed', windowMs: 500 } });
    await reads.ready();
    await inOperation(async () => {
      const transaction = await sequelize.transaction();
      await sequelize.query(insert, { transaction });
      await sequelize.query('SELECT pg_sleep(0.7)', { transaction });
      expect(states()).to.deep.equal(['users uncommitted']);
      await transaction.commit();
      expect(states()).to.deep.equal(['users committed']);
      const deadline = Date.now() + 20_000;
      while (states().length > 0 && Date.now() < deadline) await new Promise(setImmediate);
      expect(states()).to.deep.equal([]);
    });
  });
});
