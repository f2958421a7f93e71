import { expect } from 'chai';
import { askAfter, prepare, type Setting } from './support';

describe('reads that name no table they read', () => {
  let setting: Setting;

  before(async () => {
    setting = await prepare([
      'CREATE TABLE users (id serial PRIMARY KEY, name text)',
      'CREATE TABLE posts (id serial PRIMARY KEY, title text, user_id int)',
      'CREATE TABLE texts (words tsvector)',
      `CREATE FUNCTION shown(u users) RETURNS text LANGUAGE sql STABLE AS
        'SELECT string_agg(p.title, '','') FROM posts p WHERE p.user_id = u.id'`,
      `CREATE FUNCTION is_post(i int) RETURNS bool LANGUAGE sql STABLE AS 'SELECT EXISTS (SELECT FROM posts WHERE id = i)'`,
      `CREATE FUNCTION outer_count() RETURNS bigint LANGUAGE plpgsql STABLE AS
        $$ DECLARE n bigint; BEGIN IF is_post(1) THEN n := 1; ELSE n := 0; END IF; RETURN n; END $$`,
      `CREATE FUNCTION any_count(t text) RETURNS bigint LANGUAGE plpgsql STABLE AS
        $$ DECLARE n bigint; BEGIN EXECUTE 'SELECT count(*) FROM ' || t INTO n; RETURN n; END $$`,
      `CREATE FUNCTION posts_of(k int) RETURNS SETOF posts LANGUAGE sql STABLE AS 'SELECT * FROM posts WHERE user_id = k'`,
      'CREATE VIEW summary AS SELECT u.id, (SELECT count(*) FROM posts_of(u.id)) AS n FROM users u',
      'CREATE VIEW summaries AS SELECT sum(n) AS n FROM summary',
      `CREATE FUNCTION begin_atomic() RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM posts; END`,
      `CREATE AGGREGATE titles(int) (SFUNC = title_step, STYPE = text)`.replace(
        'CREATE AGGREGATE',
        `CREATE FUNCTION title_step(s text, i int) RETURNS text LANGUAGE sql STABLE AS 'SELECT coalesce(s, '''') || coalesce((SELECT title FROM posts WHERE id = i), '''')'; CREATE AGGREGATE`,
      ),
      "INSERT INTO users (name) VALUES ('first')",
    ]);
  });
  after(() => setting.database.close());

  // First: after a call of something unreadable, the catalog is looked at before it is believed.
  const apart = [
    'SELECT name FROM users',
    'SELECT count(*) FROM texts',
    'SELECT 1 + 2 AS sum, 1::text AS one',
  ];
  for (const sql of apart) {
    it(`on a replica, with posts written: ${sql}`, async () => {
      const answer = await askAfter(setting, "INSERT INTO posts (title) VALUES ('x')", sql);
      expect(answer).to.equal('replica tables-untouched');
    });
  }

  const reading = [
    'SELECT u.shown FROM users u',
    'SELECT (u.*).shown FROM users u',
    'SELECT shown(u) FROM users u',
    'SELECT outer_count()',
    "SELECT any_count('pos' || 'ts')",
    'SELECT * FROM posts_of(1)',
    'SELECT * FROM summary',
    'SELECT n FROM summaries',
    'SELECT begin_atomic()',
    'SELECT titles(id) FROM users',
    'SELECT titles(id) OVER () FROM users',
    "SELECT pg_relation_size('posts')",
    "SELECT pg_size_pretty(pg_total_relation_size('posts'))",
    "SELECT relname, pg_table_size(oid) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'p%'",
    'SELECT pg_database_size(current_database())',
    "SELECT table_to_xml('posts', true, true, '')",
    "SELECT schema_to_xml('public', true, true, '')",
    "SELECT database_to_xml(true, true, '')",
    "SELECT query_to_xml('SELECT * FROM posts', true, true, '')",
    "SELECT * FROM ts_stat('SELECT to_tsvector(title) FROM posts')",
    "SELECT ts_rewrite('a'::tsquery, 'SELECT title::tsquery, title::tsquery FROM posts')",
  ];
  for (const sql of reading) {
    it(`on the primary, with posts written: ${sql}`, async () => {
      const answer = await askAfter(setting, "INSERT INTO posts (title) VALUES ('x')", sql);
      expect(answer).to.match(/^primary (table-written|tables-unknown|not-a-read)$/);
    });
  }
});

describe('reads through operators, casts and domains', () => {
  let setting: Setting;

  before(async () => {
    setting = await prepare([
      'CREATE TABLE users (id serial PRIMARY KEY, name text)',
      'CREATE TABLE posts (id serial PRIMARY KEY, title text)',
      `CREATE FUNCTION is_post(i int) RETURNS bool LANGUAGE sql STABLE AS 'SELECT EXISTS (SELECT FROM posts WHERE id = i)'`,
      `CREATE FUNCTION same_title(a int, b int) RETURNS bool LANGUAGE sql STABLE AS
        'SELECT count(*) > 0 FROM posts WHERE id = a AND title = b::text'`,
      'CREATE OPERATOR #=# (LEFTARG = int, RIGHTARG = int, FUNCTION = same_title)',
      'CREATE TYPE ref AS (id int)',
      `CREATE FUNCTION ref_text(r ref) RETURNS text LANGUAGE sql STABLE AS 'SELECT title FROM posts WHERE id = r.id'`,
      'CREATE CAST (ref AS text) WITH FUNCTION ref_text(ref)',
      'CREATE DOMAIN post_id AS int CHECK (VALUE IS NULL OR is_post(VALUE) OR true)',
    ]);
  });
  after(() => setting.database.close());

  for (const sql of [
    'SELECT 1 #=# 2 AS same',
    'SELECT id FROM users WHERE id OPERATOR(public.#=#) 1',
    'SELECT row(1)::ref::text AS title',
    'SELECT CAST(row(1)::ref AS text) AS title',
    'SELECT 1::post_id AS id',
  ]) {
    it(`on the primary, with posts written: ${sql}`, async () => {
      const answer = await askAfter(setting, "INSERT INTO posts (title) VALUES ('x')", sql);
      expect(answer).to.match(/^primary (table-written|tables-unknown|not-a-read)$/);
    });
  }
});
