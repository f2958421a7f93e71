import { expect } from 'chai';
import { readFingerprint } from '../../src/catalog';
import { prepareGround, type Ground } from './support';

describe('catalog: fingerprint', () => {
  let ground: Ground;

  before(async () => {
    ground = await prepareGround();
  });
  after(() => ground.close());

  const changing = [
    'CREATE TABLE fresh (id int)',
    'ALTER TABLE unrelated RENAME TO renamed',
    'ALTER TABLE renamed SET SCHEMA shop',
    'DROP TABLE shop.renamed',
    'ALTER TABLE fresh ADD COLUMN name text',
    'ALTER TABLE fresh ALTER COLUMN name SET DEFAULT default_note()',
    'ALTER TABLE fresh ADD CHECK (valid(id))',
    'ALTER TABLE fresh SET UNLOGGED',
    'ALTER TABLE drafts DROP CONSTRAINT drafts_user_id_fkey',
    'ALTER TABLE drafts ADD FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE',
    'CREATE OR REPLACE FUNCTION bump() RETURNS int LANGUAGE sql AS $$SELECT 1$$',
    'ALTER FUNCTION post_count(int) SET search_path = shop',
    'DROP FUNCTION dynamic(text)',
    'ALTER TABLE notes DISABLE TRIGGER counted',
    'DROP TRIGGER counted ON notes',
    'CREATE TRIGGER counted AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION count_note()',
    'CREATE POLICY more ON halls USING (true)',
    'ALTER POLICY more ON halls USING (granted(id))',
    'DROP POLICY more ON halls',
    'ALTER TABLE open_halls ENABLE ROW LEVEL SECURITY',
    'CREATE OR REPLACE VIEW user_posts AS SELECT u.name, p.title FROM users u JOIN posts p ON p.id = u.id',
    'CREATE RULE never AS ON DELETE TO flags DO INSTEAD NOTHING',
    'CREATE TABLE events_3 PARTITION OF events FOR VALUES FROM (200) TO (300)',
    'ALTER TABLE events DETACH PARTITION events_3',
    'ALTER TABLE cats NO INHERIT animals',
    'CREATE INDEX ON users (lower(name))',
    'CREATE DOMAIN positive AS int CHECK (valid(VALUE))',
    'ALTER DOMAIN positive SET DEFAULT bump()',
    'CREATE TYPE span AS RANGE (SUBTYPE = int)',
    'CREATE OPERATOR @@@ (LEFTARG = int, RIGHTARG = int, FUNCTION = int4pl)',
    'CREATE CAST (users AS text) WITH FUNCTION display(users)',
    'ALTER SCHEMA tenant_a RENAME TO tenant_b',
  ];
  it('changes with every definition', async () => {
    let fingerprint = await readFingerprint(ground.query);
    for (const sql of changing) {
      await ground.client.query(sql);
      const next = await readFingerprint(ground.query);
      expect(next, sql).not.to.equal(fingerprint);
      fingerprint = next;
    }
  });

  const harmless = [
    `INSERT INTO users (name) VALUES ('x')`,
    'DELETE FROM posts',
    'TRUNCATE flags',
    'ANALYZE users',
    'VACUUM users',
    'REFRESH MATERIALIZED VIEW post_counts',
    'CREATE TEMP TABLE scratch_table (id serial PRIMARY KEY, n int DEFAULT 1 CHECK (n > 0))',
    'CREATE FUNCTION pg_temp.helper() RETURNS int LANGUAGE sql AS $$SELECT 1$$',
    'DROP FUNCTION pg_temp.helper()',
    'DROP TABLE scratch_table',
    `SELECT nextval('users_id_seq')`,
    'SET search_path = shop',
  ];
  it('stays the same otherwise', async () => {
    const fingerprint = await readFingerprint(ground.query);
    for (const sql of harmless) {
      await ground.client.query(sql);
      expect(await readFingerprint(ground.query), sql).to.equal(fingerprint);
    }
  });
});
