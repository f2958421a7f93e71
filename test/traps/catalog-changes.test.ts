import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import { DataTypes, QueryTypes } from 'sequelize';
import { ask, askAfter, eventually, prepare, type Setting } from './support';

describe('a catalog that changes', () => {
  let setting: Setting;

  /** Runs in the context of this moment, whoever calls it later. */
  const fresh = AsyncLocalStorage.snapshot();

  beforeEach(async () => {
    setting = await prepare([
      'CREATE TABLE users (id serial PRIMARY KEY, name text UNIQUE)',
      'CREATE TABLE posts (id serial PRIMARY KEY, title text)',
      "INSERT INTO users (name) VALUES ('first')",
      `CREATE FUNCTION make_view() RETURNS int LANGUAGE plpgsql AS
        $$ BEGIN EXECUTE 'CREATE VIEW people AS SELECT * FROM users'; RETURN 1; END $$`,
      `CREATE PROCEDURE make_views() LANGUAGE plpgsql AS
        $$ BEGIN CREATE VIEW people AS SELECT * FROM users; END $$`,
    ]);
  });
  afterEach(() => setting.database.close());

  const write = 'UPDATE users SET name = name WHERE id = 1';

  it('by a migration of another process: noticed by itself while writes happen', async () => {
    const { database } = setting;
    await database.run(
      'CREATE TABLE badges (user_id int)',
      `CREATE FUNCTION badge() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO badges VALUES (NEW.id); RETURN NULL; END $$`,
      'CREATE TRIGGER badged AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION badge()',
    );
    await database.cluster.waitForReplicas();
    await eventually(
      async () =>
        (await askAfter(setting, write, 'SELECT * FROM badges')) === 'primary table-written',
    );
    await eventually(
      async () =>
        (await askAfter(setting, write, 'SELECT * FROM posts')) === 'replica tables-untouched',
    );
  });

  /** Whether a replica answers, asked of the row: nobody listens to decisions meanwhile. */
  async function onStandby(table: string): Promise<boolean> {
    const [row] = await setting.sequelize.query<{ standby: boolean }>(
      `SELECT pg_is_in_recovery() AS standby FROM ${table} LIMIT 1`,
      { type: QueryTypes.SELECT },
    );
    return row!.standby;
  }

  it('by another process, with no write of ours after it: noticed by reads while writes are live', async () => {
    const { database, reads, sequelize, log } = setting;
    log.dispose();
    await reads.runOperation({}, async () => {
      await sequelize.query(write);
      await database.run('CREATE VIEW people AS SELECT * FROM users');
      await database.cluster.waitForReplicas();
      await eventually(async () => !(await onStandby('people')));
    });
  });

  const hiddenChanges: [name: string, sql: string][] = [
    ['in a DO block', `DO $$ BEGIN EXECUTE 'CREATE VIEW people AS SELECT * FROM users'; END $$`],
    ['in a function', 'SELECT make_view()'],
    ['in a procedure', 'CALL make_views()'],
  ];
  for (const [name, sql] of hiddenChanges) {
    it(`by this process, ${name}, in an operation before`, async () => {
      const { database, reads, sequelize, log } = setting;
      log.dispose();
      // The fingerprint has just been looked at.
      await reads.runOperation({}, () => sequelize.query(write));
      await reads.runOperation({}, () => sequelize.query(sql));
      await database.cluster.waitForReplicas();
      await reads.runOperation({}, async () => {
        await sequelize.query(write);
        expect(await onStandby('people')).to.equal(false);
      });
    });
  }

  it('by this process, in the same operation', async () => {
    const { reads, sequelize } = setting;
    await reads.runOperation({}, async () => {
      await sequelize.query('CREATE VIEW people AS SELECT * FROM users');
      expect(await ask(setting, 'SELECT * FROM people')).to.match(/^primary /);
    });
    await eventually(
      async () =>
        (await askAfter(setting, write, 'SELECT * FROM people')) === 'primary table-written',
    );
    await eventually(
      async () =>
        (await askAfter(setting, write, 'SELECT * FROM posts')) === 'replica tables-untouched',
    );
  });

  it('not for the function that findOrCreate makes in pg_temp', async () => {
    const { reads, sequelize } = setting;
    const User = sequelize.define('user', { name: DataTypes.TEXT }, { timestamps: false });
    await reads.runOperation({}, async () => {
      await User.findOrCreate({ where: { name: 'new' } });
      expect(reads.history().map(({ table }) => table)).to.deep.equal(['users']);
      expect(await ask(setting, 'SELECT * FROM posts')).to.equal('replica tables-untouched');
    });
  });

  it('not for temporary tables', async () => {
    const { reads, sequelize } = setting;
    await reads.runOperation({}, async () => {
      await sequelize.transaction(async (transaction) => {
        await sequelize.query('CREATE TEMP TABLE picked ON COMMIT DROP AS SELECT id FROM users', {
          transaction,
        });
        await sequelize.query('SELECT * FROM picked', { transaction });
      });
      expect(await ask(setting, 'SELECT * FROM posts')).to.match(/^replica /);
    });
  });

  it('for a table that is renamed', async () => {
    const { reads, sequelize } = setting;
    await reads.runOperation({}, async () => {
      await sequelize.query('ALTER TABLE users RENAME TO people');
      await sequelize.query("INSERT INTO people (name) VALUES ('second')");
      expect(await ask(setting, 'SELECT * FROM people')).to.match(/^primary /);
    });
  });

  it("what one operation can't tell is no doubt for another", async () => {
    const { database, reads, sequelize } = setting;
    await database.run(`CREATE FUNCTION count_all(t text) RETURNS bigint LANGUAGE plpgsql AS
      $$ DECLARE n bigint; BEGIN EXECUTE 'SELECT count(*) FROM ' || t INTO n; RETURN n; END $$`);
    await reads.refreshCatalog();
    await reads.runOperation({}, () => sequelize.query(write));
    // Kept open, with a live write, while others do what can't be told.
    await reads.runOperation({}, async () => {
      await sequelize.query(write);
      let begin!: () => void;
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const listening = reads.onDecision(() => begin());
      const other = outside(() => sequelize.query("SELECT count_all('posts'), pg_sleep(0.1)"));
      await begun;
      listening.dispose();
      expect(await ask(setting, 'SELECT * FROM posts')).to.equal('replica tables-untouched');
      await other;
      expect(await ask(setting, 'SELECT * FROM posts')).to.equal('replica tables-untouched');
    });

    function outside<T>(fn: () => T): Promise<Awaited<T>> {
      return fresh(() => reads.runOperation({}, fn));
    }
  });
});
