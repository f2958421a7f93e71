import { AsyncResource } from 'node:async_hooks';
import { expect } from 'chai';
import { DataTypes, QueryTypes, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads, type FreshReadsOptions } from '../../src';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

/** What the options and the calls around a query change, on paused replicas. */
describe('the query surface', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let log: DecisionLog;

  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial PRIMARY KEY, name text)',
      'CREATE TABLE posts (id serial PRIMARY KEY, title text)',
      'CREATE TABLE audit_logs (id serial PRIMARY KEY, what text)',
      'CREATE TABLE audit_totals (id serial PRIMARY KEY, n int)',
      'CREATE TABLE orders (id serial PRIMARY KEY, amount int)',
      'CREATE TABLE order_totals (id serial PRIMARY KEY, n int)',
      `CREATE FUNCTION count_audit() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO audit_totals (n) VALUES (1); RETURN NULL; END $$`,
      'CREATE TRIGGER count_audit AFTER INSERT ON audit_logs EXECUTE FUNCTION count_audit()',
      `CREATE FUNCTION total_orders() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN EXECUTE format('INSERT INTO %I (n) VALUES (1)', TG_ARGV[0]); RETURN NULL; END $$`,
      "CREATE TRIGGER total_orders AFTER INSERT ON orders EXECUTE FUNCTION total_orders('order_totals')",
    );
    await database.pauseReplicas();
  });

  afterEach(() => sequelize.close());
  after(() => database.close());

  async function connect(options: FreshReadsOptions = {}): Promise<void> {
    sequelize = database.connect();
    reads = freshReads(sequelize, { freshness: { mode: 'fixed', windowMs: 60_000 }, ...options });
    await reads.ready();
    log = new DecisionLog(reads);
  }

  const count = (table: string) =>
    sequelize.query(`SELECT count(*) FROM ${table}`, { type: QueryTypes.SELECT });
  const insertInto = (table: string) => sequelize.query(`INSERT INTO ${table} DEFAULT VALUES`);
  const reasons = () => log.all.splice(0).map(({ target, reason }) => `${target} ${reason}`);

  it("mutationReads: 'primary' sends reads of a mutation there until it writes", async () => {
    await connect({ mutationReads: 'primary' });
    await reads.runOperation({ kind: 'mutation' }, async () => {
      await count('posts');
      await insertInto('users');
      await count('posts');
      await count('users');
    });
    await reads.runOperation({ kind: 'query' }, () => count('posts'));
    expect(reasons()).to.deep.equal([
      'primary mutation-read',
      'primary not-a-read',
      'replica tables-untouched',
      'primary table-written',
      'replica no-live-writes',
    ]);
  });

  it("outsideOperation: 'primary' sends reads with no operation there", async () => {
    await connect({ outsideOperation: 'primary' });
    await count('users');
    await reads.useReplica(() => count('users'));
    await reads.runOperation({}, () => count('users'));
    expect(reasons()).to.deep.equal([
      'primary asked-primary',
      'replica asked-replica',
      'replica no-live-writes',
    ]);
  });

  it("rawReads: 'primary' leaves raw SQL without a type where Sequelize sends it", async () => {
    await connect({ rawReads: 'primary' });
    await reads.runOperation({}, async () => {
      await sequelize.query('SELECT count(*) FROM users');
      await count('users');
    });
    expect(reasons()).to.deep.equal(['primary asked-primary', 'replica no-live-writes']);
  });

  it('ignoreWrites holds no read back, but what the triggers of such a table write does', async () => {
    await connect({ ignoreWrites: ['audit_logs'] });
    await reads.runOperation({}, async () => {
      await insertInto('audit_logs');
      await count('audit_logs');
      await count('audit_totals');
      await count('posts');
    });
    expect(reasons()).to.deep.equal([
      'primary not-a-read',
      'replica tables-untouched',
      'primary table-written',
      'replica tables-untouched',
    ]);
  });

  it('a trigger that nobody can read is a write to everything, unless relatedTables tells', async () => {
    await connect();
    await reads.runOperation({}, async () => {
      await insertInto('orders');
      await count('order_totals');
      await count('posts');
    });
    expect(reasons()).to.deep.equal([
      'primary not-a-read',
      'primary tables-unknown',
      'primary tables-unknown',
    ]);
    await sequelize.close();

    await connect({ relatedTables: { orders: ['order_totals'] } });
    await reads.runOperation({}, async () => {
      await insertInto('orders');
      await count('orders');
      await count('order_totals');
      await count('posts');
    });
    expect(reasons()).to.deep.equal([
      'primary not-a-read',
      'primary table-written',
      'primary table-written',
      'replica tables-untouched',
    ]);
  });

  it('a wish ends when the promise settles, also for work that was left running', async () => {
    await connect();
    await reads.runOperation({}, async () => {
      let later: Promise<unknown> = Promise.resolve();
      let go: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (go = resolve));
      await reads.usePrimary(async () => {
        later = gate.then(() => count('users'));
        await count('users');
      });
      go();
      await later;
      expect(reads.usePrimary(() => 5)).to.equal(5);
      expect(() =>
        reads.useReplica(() => {
          throw new Error('inside');
        }),
      ).to.throw('inside');
    });
    expect(reasons()).to.deep.equal(['primary asked-primary', 'replica no-live-writes']);
  });

  it('freshness passes through includes, counts and getters, and is checked', async () => {
    await connect();
    const User = sequelize.define('user', { name: DataTypes.TEXT }, { timestamps: false });
    await reads.runOperation({}, async () => {
      await User.findAndCountAll({ freshness: 'primary' });
      await User.count({ freshness: 'primary' });
      const error = await User.findAll({ freshness: 'stale' as never }).catch((e: unknown) => e);
      expect(error).to.have.property(
        'message',
        "freshness of a query must be 'fresh', 'primary', 'replica' or { maxLagMs: milliseconds }, got \"stale\".",
      );
    });
    expect(new Set(reasons())).to.deep.equal(new Set(['primary asked-primary']));
  });

  it('calls that share their options are told apart', async () => {
    await connect();
    const shared = { type: QueryTypes.SELECT, tableNames: ['users'] };
    const frozen = Object.freeze({ ...shared, tableNames: Object.freeze(['users']) });
    for (const options of [shared, frozen]) {
      await reads.runOperation({}, async () => {
        await insertInto('users');
        log.all.length = 0;
        const texts = ['posts', 'users', 'posts', 'users'];
        await Promise.all(
          texts.map((table) => sequelize.query(`SELECT count(*) FROM ${table}`, options as object)),
        );
      });
      const decided = log.all.map(({ tables, target }) => `${target} ${tables.join()}`).sort();
      expect(decided).to.deep.equal([
        'primary users',
        'primary users',
        'replica posts',
        'replica posts',
      ]);
    }
  });

  it('an operation that is over is not joined any more', async () => {
    await connect();
    let serve: (() => Promise<void>) | undefined;
    await reads.runOperation({ name: 'boot' }, async () => {
      // What a server started in here does with each request: its context stays that of the start.
      serve = AsyncResource.bind(() =>
        reads.runOperation({ name: 'request' }, async () => {
          await insertInto('users');
        }),
      );
      await reads.runOperation({ name: 'part' }, () => count('users'));
    });
    await serve?.();
    expect(log.all.map(({ operation }) => operation?.name)).to.deep.equal(['boot', 'request']);
  });

  it('runOperation refuses what it can not work with', async () => {
    await connect();
    const refused: [unknown, unknown, string][] = [
      [
        undefined,
        () => 1,
        "runOperation(options, fn): options must be an object such as { name: 'nightly' }, got undefined.",
      ],
      [{ nam: 'x' }, () => 1, 'runOperation: unknown option "nam"; did you mean "name"?'],
      [{ name: 5 }, () => 1, 'runOperation: name must be a string, got 5.'],
      [
        { kind: 'cron' },
        () => 1,
        "runOperation: kind must be one of 'query', 'mutation', 'subscription', 'request', 'job', got \"cron\".",
      ],
      [
        { token: 5 },
        () => 1,
        'runOperation: token must be what token() gave, or an array of that, got 5.',
      ],
      [{}, 'x', 'runOperation(options, fn): fn must be a function, got "x".'],
    ];
    for (const [options, fn, message] of refused) {
      const error: unknown = await reads
        .runOperation(options as never, fn as never)
        .catch((reason: unknown) => reason);
      expect(error).to.have.property('message', message);
    }
  });

  it('runOperation takes null for no token, as a column of a jobs table has it', async () => {
    await connect();
    await reads.runOperation({ token: null }, () => count('users'));
    expect(reasons()).to.deep.equal(['replica no-live-writes']);
  });
});
