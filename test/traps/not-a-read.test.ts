import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { ask, askAfter, prepare, type Setting } from './support';

describe('SELECTs that are more than reads, or not for a replica', () => {
  let setting: Setting;

  before(async () => {
    setting = await prepare([
      'CREATE TABLE users (id serial PRIMARY KEY, name text)',
      'CREATE TABLE posts (id serial PRIMARY KEY, title text)',
      'CREATE UNLOGGED TABLE cache (id int)',
      'CREATE VIEW cached AS SELECT id FROM cache',
      'CREATE SEQUENCE counter',
      "CREATE VIEW next_number AS SELECT nextval('counter') AS n",
      'CREATE TABLE numbered (id bigint GENERATED ALWAYS AS IDENTITY, note text)',
      `CREATE FUNCTION exclusive(k int) RETURNS int LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(k); RETURN k; END $$`,
      `CREATE FUNCTION rename(k int) RETURNS int LANGUAGE plpgsql AS
        $$ BEGIN UPDATE users SET name = 'renamed' WHERE id = k; RETURN k; END $$`,
      `CREATE FUNCTION renames(k int) RETURNS int LANGUAGE sql STABLE AS 'SELECT rename(k)'`,
      `CREATE FUNCTION users_id(u users) RETURNS int LANGUAGE sql AS 'SELECT rename(u.id)'`,
      'CREATE VIEW renaming AS SELECT rename(1) AS id',
      `CREATE FUNCTION locked_user(k int) RETURNS SETOF users LANGUAGE sql AS 'SELECT * FROM users WHERE id = k FOR UPDATE'`,
      'CREATE MATERIALIZED VIEW names AS SELECT name FROM users WITH NO DATA',
      "INSERT INTO users (name) VALUES ('first')",
    ]);
  });
  after(() => setting.database.close());

  const primary: [sql: string, reason: string][] = [
    ['SELECT pg_advisory_xact_lock(1)', 'not-a-read'],
    ['SELECT pg_catalog.pg_try_advisory_xact_lock(1)', 'not-a-read'],
    ['SELECT id FROM users WHERE pg_try_advisory_xact_lock(id)', 'not-a-read'],
    ['SELECT exclusive(1)', 'not-a-read'],
    ["SELECT nextval('counter')", 'not-a-read'],
    ['SELECT n FROM next_number', 'not-a-read'],
    ["SELECT setval('counter', 5)", 'not-a-read'],
    ['SELECT last_value FROM counter', 'primary-only-relation'],
    ['SELECT last_value FROM numbered_id_seq', 'primary-only-relation'],
    ["SELECT last_value FROM pg_sequences WHERE sequencename = 'counter'", 'primary-only-relation'],
    ['SELECT * FROM cache', 'primary-only-relation'],
    ['SELECT * FROM cached', 'primary-only-relation'],
    ['SELECT (SELECT count(*) FROM "cache") AS n FROM posts', 'primary-only-relation'],
    ['SELECT id FROM users FOR UPDATE', 'locking-read'],
    ['SELECT id FROM users FOR KEY SHARE', 'locking-read'],
    ['SELECT * FROM (SELECT id FROM users FOR NO KEY UPDATE SKIP LOCKED) x', 'locking-read'],
    ['WITH w AS (SELECT id FROM users FOR SHARE) SELECT * FROM w', 'locking-read'],
    ['SELECT rename(1)', 'not-a-read'],
    ['SELECT renames(1)', 'not-a-read'],
    ['SELECT u.users_id FROM users u', 'not-a-read'],
    ['SELECT (u).users_id FROM users u', 'not-a-read'],
    ['SELECT * FROM renaming', 'not-a-read'],
    ['SELECT 1 AS a FROM renaming UNION SELECT 2', 'not-a-read'],
    ["SELECT set_config('work_mem', '8MB', false)", 'not-a-read'],
    ["SELECT pg_notify('channel', 'x')", 'not-a-read'],
    ['SELECT pg_current_wal_lsn()', 'primary-only-relation'],
    ['SELECT count(*) FROM pg_locks', 'primary-only-relation'],
    ['SELECT 1 INTO TEMP one', 'not-a-read'],
    ['EXPLAIN ANALYZE SELECT rename(1)', 'not-a-read'],
    ['SELECT txid_current()', 'not-a-read'],
  ];
  for (const [sql, reason] of primary) {
    it(`on the primary, with nothing written: ${sql}`, async () => {
      const answer = await setting.reads.runOperation({}, () => ask(setting, sql));
      expect(answer).to.equal(`primary ${reason}`);
    });
  }

  it('on the primary: a function that takes row locks', async () => {
    const answer = await setting.reads.runOperation({}, () =>
      ask(setting, 'SELECT * FROM locked_user(1)'),
    );
    expect(answer).to.match(/^primary /);
  });

  const harmless = [
    'SELECT pg_advisory_xact_lock(1)',
    'SELECT exclusive(1)',
    "SELECT nextval('counter')",
    "SELECT setval('counter', 5)",
    "SELECT set_config('work_mem', '8MB', false)",
    "SELECT pg_notify('channel', 'x')",
    "NOTIFY channel, 'x'",
    'SELECT id FROM users FOR UPDATE',
    'SELECT id FROM users FOR UPDATE; SELECT 1',
    'SELECT 1; SELECT 2',
    'SELECT 1; SELECT count(*) FROM users',
    'SET work_mem TO DEFAULT',
    'SHOW work_mem',
    'EXPLAIN UPDATE users SET id = id',
    'SELECT txid_current()',
    'ANALYZE users',
    'BEGIN; COMMIT',
    'BEGIN; LOCK TABLE users; COMMIT',
    'BEGIN; DECLARE c CURSOR FOR SELECT * FROM users; FETCH 1 FROM c; COMMIT',
    'LISTEN channel; UNLISTEN channel',
    'SELECT pg_sleep(0)',
    'SELECT count(*) FROM pg_locks',
  ];
  for (const sql of harmless) {
    it(`writes no table: ${sql}`, async () => {
      expect(await askAfter(setting, sql, 'SELECT * FROM posts')).to.match(/^replica /);
      expect(await askAfter(setting, sql, 'SELECT * FROM users')).to.match(/^replica /);
    });
  }

  it('the primary, with its estimates made anew: what is estimated', async () => {
    for (const sql of ['ANALYZE users', 'VACUUM users', 'REINDEX TABLE users']) {
      for (const read of [
        "SELECT reltuples FROM pg_class WHERE relname = 'users'",
        "SELECT n_distinct FROM pg_stats WHERE tablename = 'users'",
      ]) {
        expect(await askAfter(setting, sql, read), `${sql}; ${read}`).to.equal(
          'primary table-written',
        );
      }
    }
  });

  it('the primary, once it is refreshed: whether a materialized view is populated', async () => {
    const populated = "SELECT ispopulated FROM pg_matviews WHERE matviewname = 'names'";
    const answer = await askAfter(setting, 'REFRESH MATERIALIZED VIEW names', populated);
    expect(answer).to.equal('primary table-written');
  });

  const replica = [
    'SELECT now(), random(), gen_random_uuid()',
    "SELECT string_agg(name, ',' ORDER BY id) FILTER (WHERE id > 0) FROM users",
    'SELECT id, row_number() OVER (ORDER BY id) FROM users',
    "SELECT name FROM users WHERE name ILIKE '%update%' OR name = 'FOR UPDATE; DELETE FROM users'",
    'SELECT $$insert into users$$ AS text',
    "SELECT E'it\\'s; delete' AS text",
    'SELECT "id" AS "for update" FROM users',
    "SELECT coalesce(name, '') || '-- ' FROM users /* delete */",
    "SELECT extract(year FROM now()), date_trunc('day', now()), now() AT TIME ZONE 'UTC'",
    "SELECT jsonb_build_object('a', 1) -> 'a', to_tsvector('english', 'x') @@ to_tsquery('x')",
    'SELECT * FROM generate_series(1, 3) g(i) CROSS JOIN LATERAL (SELECT i * 2) d',
    'VALUES (1), (2)',
    '(SELECT 1) UNION ALL (SELECT 2)',
    'TABLE users',
    'SELECT relname FROM pg_class LIMIT 1',
    'SELECT table_name FROM information_schema.tables LIMIT 1',
    "SELECT version(), current_database(), current_setting('work_mem')",
    'SELECT pg_is_in_recovery()',
    "SELECT pg_relation_size('users')",
    'SELECT id FROM users TABLESAMPLE SYSTEM (50)',
    'SELECT id FROM users LIMIT 1;  -- the end',
  ];
  for (const sql of replica) {
    it(`on a replica: ${sql}`, async () => {
      await setting.reads.runOperation({}, async () => {
        expect(await ask(setting, sql)).to.equal('replica no-live-writes');
        // Without a type, too.
        await setting.sequelize.query(sql);
        expect(setting.log.all.at(-1)).to.have.property('target', 'replica');
      });
    });
  }

  it('a function that writes marks before it is sent, and what it wrote is found', async () => {
    const { reads, sequelize, database } = setting;
    await database.pauseReplicas();
    try {
      await reads.runOperation({}, async () => {
        const [row] = await sequelize.query<{ name: string }>(
          'SELECT u.name FROM users u WHERE u.id = (SELECT renames(1))',
          { type: QueryTypes.SELECT },
        );
        expect(row).not.to.equal(undefined);
        expect(reads.history().map(({ table }) => table)).to.deep.equal(['users']);
        expect(await ask(setting, 'SELECT name FROM users')).to.equal('primary table-written');
        expect(await ask(setting, 'SELECT title FROM posts')).to.equal('replica tables-untouched');
      });
    } finally {
      await database.resumeReplicas();
    }
  });
});
