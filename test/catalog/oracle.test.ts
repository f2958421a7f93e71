import { expect } from 'chai';
import type { Catalog } from '../../src/catalog';
import { factsOf, prepareGround, type Ground } from './support';

/** The server's own account of what a statement touched: the locks its transaction holds afterwards. */
const LOCKS = `
  SELECT n.nspname AS schema, c.relname AS name, string_agg(l.mode, ',') AS modes
  FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE l.pid = pg_backend_pid() AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND n.nspname !~ '^(pg_|information_schema)'
  GROUP BY n.nspname, c.relname`;

const READ_MODES = ['AccessShareLock', 'RowShareLock'];

describe('catalog: against the locks that the server takes', () => {
  let ground: Ground;
  let catalog: Catalog;

  before(async () => {
    ground = await prepareGround();
    await ground.client.query(`
      CREATE ROLE visitor;
      GRANT USAGE ON SCHEMA shop TO visitor;
      GRANT SELECT ON ALL TABLES IN SCHEMA public, shop TO visitor`);
    catalog = await ground.load();
  });
  after(() => ground.close());

  async function locked(sql: string): Promise<{ written: string[]; all: string[] }> {
    await ground.client.query('BEGIN');
    try {
      await ground.client.query(sql);
      const { rows } = await ground.client.query<{ schema: string; name: string; modes: string }>(
        LOCKS,
      );
      const keys = rows.map(({ schema, name, modes }) => ({
        key: catalog.keyOf(schema, name),
        written: modes.split(',').some((mode) => !READ_MODES.includes(mode)),
      }));
      return {
        written: keys.filter(({ written }) => written).map(({ key }) => key),
        all: keys.map(({ key }) => key),
      };
    } finally {
      await ground.client.query('ROLLBACK');
    }
  }

  const writes: [sql: string, touched: string][] = [
    ['DELETE FROM users WHERE id = 2', 'comments'],
    ['UPDATE users SET id = 90 WHERE id = 4', 'posts'],
    ['UPDATE posts SET id = 90 WHERE id = 3', 'comments'],
    ['DELETE FROM ring_a', 'ring_b'],
    ['DELETE FROM codes', 'coded'],
    ['TRUNCATE users CASCADE', 'invoices'],
    ['TRUNCATE emptied', 'flag_log'],
    [`INSERT INTO notes (body) VALUES ('x')`, 'counters'],
    [`UPDATE notes SET flagged = true`, 'flags'],
    [`INSERT INTO plain_notes (body) VALUES ('x')`, 'counters'],
    [`UPDATE documents SET body = 'x'`, 'documents'],
    ['UPDATE keyed SET v = 2', 'keyed_child'],
    ['INSERT INTO ruled VALUES (1)', 'ruled_log'],
    ['INSERT INTO facade VALUES (1)', 'behind'],
    [`INSERT INTO events VALUES (5, 'x')`, 'events_1'],
    [`UPDATE events SET at = at + 100 WHERE at < 50`, 'event_moves'],
    ['DELETE FROM events', 'event_moves'],
    ['DELETE FROM animals', 'cats'],
    ['INSERT INTO defaulted (id) VALUES (1)', 'hits'],
    ['INSERT INTO checked VALUES (1)', 'flag_log'],
    ['SELECT sly()', 'hits'],
    ['SELECT * FROM busy', 'hits'],
    ['SELECT with_default()', 'hits'],
    ['CALL clear_hits()', 'hits'],
    ['SELECT scratch()', 'flag_log'],
    ['INSERT INTO unrelated (note) SELECT n::text FROM busy', 'hits'],
    ['WITH gone AS (DELETE FROM posts RETURNING *) SELECT count(*) FROM gone', 'comments'],
    [
      `INSERT INTO counters VALUES ('notes', 1) ON CONFLICT (name) DO UPDATE SET n = counters.n + 1`,
      'counters',
    ],
    ['DELETE FROM orders', 'order_lines'],
    ['REFRESH MATERIALIZED VIEW post_counts', 'post_counts'],
  ];
  for (const [sql, touched] of writes) {
    it(`writes no more than told: ${sql}`, async () => {
      const closure = catalog.writeClosure(factsOf(sql));
      const { written } = await locked(sql);
      expect(written).to.include(touched);
      if (!closure.unknown) expect(closure.tables).to.include.members(written);
    });
  }

  const reads: [sql: string, touched: string][] = [
    ['SELECT * FROM user_posts_upper', 'users'],
    ['SELECT * FROM post_counts', 'post_counts'],
    ['SELECT * FROM events WHERE at < 10', 'events_1'],
    ['SELECT * FROM animals', 'cats'],
    ['SET LOCAL ROLE visitor; SELECT * FROM rooms', 'memberships'],
    ['SELECT post_count(id) FROM users', 'posts'],
    ['SELECT * FROM post_titles(2)', 'posts'],
    ['SELECT u.display FROM users u', 'badges'],
    ['SELECT tally(id) FROM users', 'flags'],
    ['SELECT shop.stock()', 'shop.items'],
    ['SELECT * FROM mixed_view', 'Mixed Case'],
    [
      'SELECT 1 WHERE EXISTS (SELECT FROM users JOIN LATERAL (SELECT FROM drafts) d ON true)',
      'drafts',
    ],
  ];
  for (const [sql, touched] of reads) {
    it(`reads no more than told: ${sql}`, async () => {
      const closure = catalog.readClosure(factsOf(sql));
      const { all, written } = await locked(sql);
      expect(all).to.include(touched);
      expect(written).to.deep.equal([]);
      expect(closure).to.include({ unknown: false, writes: false });
      expect(closure.tables).to.include.members(all);
    });
  }
});
