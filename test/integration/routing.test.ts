import { expect } from 'chai';
import { DataTypes, QueryTypes, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

const LONG_WINDOW = { freshness: { mode: 'fixed', windowMs: 60_000 } } as const;

describe('routing on paused replicas', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let log: DecisionLog;

  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial PRIMARY KEY, name text)',
      'CREATE TABLE posts (id serial PRIMARY KEY, title text)',
      "INSERT INTO users (name) VALUES ('first')",
      "INSERT INTO posts (title) VALUES ('first')",
    );
  });

  beforeEach(async () => {
    sequelize = database.connect();
    reads = freshReads(sequelize, LONG_WINDOW);
    await reads.ready();
    await database.pauseReplicas();
    log = new DecisionLog(reads);
  });

  afterEach(async () => {
    await sequelize.close();
    await database.resumeReplicas();
  });

  after(() => database.close());

  function models() {
    const timestamps = { timestamps: false };
    return {
      User: sequelize.define('user', { name: DataTypes.TEXT }, timestamps),
      Post: sequelize.define('post', { title: DataTypes.TEXT }, timestamps),
    };
  }

  async function onStandby(table: string): Promise<boolean> {
    const [row] = await sequelize.query<{ standby: boolean }>(
      `SELECT pg_is_in_recovery() AS standby FROM ${table} LIMIT 1`,
      { type: QueryTypes.SELECT },
    );
    return row!.standby;
  }

  it('answers a read of a written table on the primary, and of others on a standby', async () => {
    const { User } = models();
    await reads.runOperation({}, async () => {
      expect(await onStandby('users')).to.equal(true);
      const { id } = (await User.create({ name: 'new' })) as unknown as { id: number };
      expect(await User.findByPk(id)).to.have.property('name', 'new');
      expect(await onStandby('users')).to.equal(false);
      expect(await onStandby('posts')).to.equal(true);
    });
    expect(log.take()).to.deep.equal([
      'replica no-live-writes users',
      'primary not-a-read users',
      'primary table-written users',
      'primary table-written users',
      'replica tables-untouched posts',
    ]);
  });

  it('knows tables that the application made at its start once ready() resolves', async () => {
    await database.resumeReplicas();
    await sequelize.query('CREATE TABLE made_at_start (id int)');
    await reads.ready();
    log.take();
    await sequelize.query('INSERT INTO made_at_start VALUES (1)');
    expect(log.take()).to.deep.equal(['primary not-a-read made_at_start']);
  });

  it('keeps the histories of two operations apart', async () => {
    const { User } = models();
    await reads.runOperation({}, () => User.create({ name: 'other' }));
    await reads.runOperation({}, async () => {
      expect(reads.history()).to.deep.equal([]);
      expect(await onStandby('users')).to.equal(true);
    });
  });

  it('counts every write of the process outside any operation', async () => {
    const { User } = models();
    await reads.runOperation({}, () => User.create({ name: 'other' }));
    expect(await onStandby('users')).to.equal(false);
    expect(await onStandby('posts')).to.equal(true);
    expect(reads.history()).to.deep.equal([]);
  });

  it('counts a write with no operation around it in every operation', async () => {
    await models().User.create({ name: 'orphan' });
    await reads.runOperation({}, async () => {
      expect(await onStandby('users')).to.equal(false);
      expect(await onStandby('posts')).to.equal(true);
    });
  });

  it('holds a table back from the mark until after the commit of its transaction', async () => {
    const { User } = models();
    await reads.runOperation({}, async () => {
      const transaction = await sequelize.transaction();
      await User.update({ name: 'x' }, { where: {}, transaction });
      expect(reads.history().map(({ state }) => state)).to.deep.equal(['uncommitted']);
      expect(await onStandby('users')).to.equal(false);
      await transaction.commit();
      expect(reads.history().map(({ state }) => state)).to.deep.equal(['committed']);
      expect(await onStandby('users')).to.equal(false);
    });
  });

  it('forgets what was rolled back', async () => {
    const { User } = models();
    await reads.runOperation({}, async () => {
      const transaction = await sequelize.transaction();
      await User.update({ name: 'x' }, { where: {}, transaction });
      await transaction.rollback();
      expect(reads.history()).to.deep.equal([]);
      expect(await onStandby('users')).to.equal(true);
    });
  });

  it('sends raw reads without a type to a replica, and raw writes in disguise to the primary', async () => {
    await reads.runOperation({}, async () => {
      await sequelize.query('SELECT * FROM users');
      await sequelize.query("UPDATE users SET name = 'y' WHERE id = -1 RETURNING *", {
        type: QueryTypes.SELECT,
      });
      await sequelize.query('SELECT * FROM users');
    });
    expect(log.take()).to.deep.equal([
      'replica no-live-writes users',
      'primary not-a-read users',
      'primary table-written users',
    ]);
  });

  it('gives useMaster, the query, the scope and the rule their say, in this order', async () => {
    const { Post } = models();
    await reads.runOperation({}, async () => {
      await Post.create({ title: 'x' });
      log.take();
      await reads.useReplica(async () => {
        await Post.findAll({ useMaster: true });
        await Post.findAll({ freshness: 'primary' });
        await Post.findAll();
        await Post.findAll({ freshness: 'fresh' });
      });
      await Post.findAll({ freshness: 'replica' });
      await Post.findAll({ freshness: { maxLagMs: 5000 } });
      await reads.usePrimary(() => models().User.findAll());
      await models().User.findAll();
    });
    expect(log.take()).to.deep.equal([
      'primary asked-primary posts',
      'primary asked-primary posts',
      'replica asked-replica posts',
      'primary table-written posts',
      'replica asked-replica posts',
      'primary too-far-behind posts',
      'primary asked-primary users',
      'replica tables-untouched users',
    ]);
  });

  it('decides a read-only transaction once, at its start', async () => {
    const standby = () =>
      sequelize.transaction({ readOnly: true }, async (transaction) => {
        const [row] = await sequelize.query<{ standby: boolean }>(
          'SELECT pg_is_in_recovery() AS standby',
          { type: QueryTypes.SELECT, transaction },
        );
        return row!.standby;
      });
    await reads.runOperation({}, async () => {
      expect(await standby()).to.equal(true);
      await models().User.update({ name: 'z' }, { where: { id: -1 } });
      expect(await standby()).to.equal(false);
    });
  });

  it('marks what it is told was written', async () => {
    await reads.runOperation({}, async () => {
      reads.markWritten(['users']);
      expect(await onStandby('users')).to.equal(false);
      expect(await onStandby('posts')).to.equal(true);
      reads.markWritten([models().Post]);
      expect(await onStandby('posts')).to.equal(false);
    });
    expect(() => reads.markWritten('users' as never)).to.throw(
      'markWritten(tables): tables must be an array, got "users"; write markWritten([table]).',
    );
    expect(() => reads.markWritten([5 as never])).to.throw(
      "markWritten: a table is 'users', 'schema.users', { schema, table } or a model, got 5.",
    );
  });

  it('passes everything through once it is closed', async () => {
    await models().User.create({ name: 'x' });
    await reads.close();
    expect(await onStandby('users')).to.equal(true);
    expect(reads.status().closed).to.equal(true);
    const again = freshReads(sequelize, LONG_WINDOW);
    expect(again).not.to.equal(reads);
  });

  it('leaves everything where it was with routing: observe, and says what it would do', async () => {
    await reads.close();
    reads = freshReads(sequelize, { ...LONG_WINDOW, routing: 'observe' });
    await reads.ready();
    log = new DecisionLog(reads);
    await reads.runOperation({}, async () => {
      await models().User.create({ name: 'x' });
      expect(await onStandby('users')).to.equal(true);
    });
    const decision = log.all.at(-1);
    expect(decision).to.deep.include({ target: 'replica', reason: 'observing' });
    expect(decision?.would).to.deep.equal({ target: 'primary', reason: 'table-written' });
  });
});
