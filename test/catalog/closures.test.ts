import { expect } from 'chai';
import type { Catalog } from '../../src/catalog';
import { factsOf, prepareGround, updateOf, type Ground } from './support';

describe('catalog: what the database adds to a statement', () => {
  let ground: Ground;
  let catalog: Catalog;

  before(async () => {
    ground = await prepareGround();
    catalog = await ground.load();
  });
  after(() => ground.close());

  const written = (sql: string) => {
    const closure = catalog.writeClosure(factsOf(sql));
    return closure.unknown ? ['everything'] : [...closure.tables].sort();
  };
  const read = (sql: string) => {
    const { tables, unknown, primaryOnly, writes } = catalog.readClosure(factsOf(sql));
    const flags = { unknown, primaryOnly, writes };
    return [
      ...[...tables].sort(),
      ...Object.entries(flags).flatMap(([flag, set]) => (set ? [`(${flag})`] : [])),
    ];
  };

  const writes: [what: string, sql: string, tables: string[]][] = [
    ['an insert', `INSERT INTO users (name) VALUES ('x')`, ['users']],
    [
      'a chain of cascades, SET NULL and SET DEFAULT',
      'DELETE FROM users',
      ['badges', 'comments', 'drafts', 'posts', 'users'],
    ],
    ['a cycle of cascades', 'DELETE FROM ring_a', ['ring_a', 'ring_b']],
    ['an update that may change a key', 'UPDATE users SET id = 9', ['posts', 'users']],
    ['TRUNCATE', 'TRUNCATE unrelated', ['unrelated']],
    [
      'TRUNCATE ... CASCADE, whatever the keys do on delete',
      'TRUNCATE users CASCADE',
      ['badges', 'comments', 'drafts', 'invoices', 'posts', 'users'],
    ],
    ['a trigger of a row', `INSERT INTO notes (body) VALUES ('x')`, ['counters', 'notes']],
    ['no trigger of other actions', 'DELETE FROM notes', ['notes']],
    [
      'a trigger with transition tables',
      'UPDATE notes SET flagged = true',
      ['flag_log', 'flags', 'notes'],
    ],
    ['a disabled trigger', 'INSERT INTO sleepers VALUES (1)', ['sleepers']],
    ['a trigger on TRUNCATE', 'TRUNCATE emptied', ['emptied', 'flag_log']],
    ['a trigger on TRUNCATE, not fired', 'DELETE FROM emptied', ['emptied']],
    ['a C trigger of the server', `UPDATE documents SET body = 'x'`, ['documents']],
    ['a trigger that builds its SQL', 'INSERT INTO orders (total) VALUES (1)', ['everything']],
    ['the same trigger, not fired', 'UPDATE orders SET total = 2', ['orders']],
    ['an INSTEAD OF trigger', 'INSERT INTO facade VALUES (1)', ['behind', 'facade']],
    ['a rule', 'INSERT INTO ruled VALUES (1)', ['ruled', 'ruled_log']],
    ['no rule of other actions', 'DELETE FROM ruled', ['ruled']],
    [
      'an updatable view, with the triggers below',
      `INSERT INTO plain_notes (body) VALUES ('x')`,
      ['counters', 'notes', 'plain_notes'],
    ],
    [
      'a partitioned table',
      `INSERT INTO events VALUES (1, 'x')`,
      ['events', 'events_1', 'events_2'],
    ],
    ['one partition', `INSERT INTO events_1 VALUES (1, 'x')`, ['events_1']],
    ['an inheriting table', 'DELETE FROM animals', ['animals', 'cats']],
    ['a default that writes', 'INSERT INTO defaulted (id) VALUES (1)', ['defaulted', 'hits']],
    ['a check that writes', 'UPDATE checked SET id = 1', ['checked', 'flag_log']],
    ['no default on delete', 'DELETE FROM defaulted', ['defaulted']],
    ['a function', 'SELECT bump()', ['hits']],
    ['a stable function that calls it', 'SELECT sly()', ['hits']],
    ['the default of an argument', 'SELECT with_default()', ['hits']],
    ['a procedure', 'CALL clear_hits()', ['hits']],
    ['a view that calls it', 'SELECT * FROM busy', ['hits']],
    [
      'a view that calls it, inside a write',
      'INSERT INTO unrelated SELECT n FROM busy',
      ['hits', 'unrelated'],
    ],
    ['a function with a temporary table of its own', 'SELECT scratch()', ['flag_log']],
    ['a function that runs SQL it was given', `SELECT dynamic('users')`, ['everything']],
    ['SQL in a string', `SELECT query_to_xml('SELECT bump()', true, true, '')`, ['everything']],
    ['a large object', `SELECT lo_from_bytea(0, 'x')`, ['pg_catalog.pg_largeobject']],
    ['a sequence', `SELECT nextval('notes_id_seq')`, []],
    ['a refresh', 'REFRESH MATERIALIZED VIEW post_counts', ['pg_catalog.pg_class', 'post_counts']],
    ['another schema', 'DELETE FROM shop.items', ['shop.items']],
    ['a generated key', 'DELETE FROM codes', ['coded', 'codes']],
    ['a table that is not there', 'DELETE FROM nowhere', ['everything']],
  ];
  for (const [what, sql, tables] of writes) {
    it(`writes: ${what}`, () => expect(written(sql)).to.deep.equal(tables));
  }

  const reads: [what: string, sql: string, tables: string[]][] = [
    ['a table', 'SELECT * FROM users', ['users']],
    ['a view', 'SELECT * FROM user_posts', ['posts', 'user_posts', 'users']],
    [
      'a view of a view',
      'SELECT * FROM user_posts_upper',
      ['posts', 'user_posts', 'user_posts_upper', 'users'],
    ],
    ['a materialized view', 'SELECT * FROM post_counts', ['post_counts']],
    ['a partitioned table', 'SELECT * FROM events', ['events', 'events_1', 'events_2']],
    ['one partition', 'SELECT * FROM events_2', ['events_2']],
    ['an inherited table', 'SELECT * FROM animals', ['animals', 'cats']],
    ['a policy', 'SELECT * FROM rooms', ['memberships', 'rooms']],
    ['a policy with a function', 'SELECT * FROM halls', ['grants', 'halls']],
    ['a policy that is not enabled', 'SELECT * FROM open_halls', ['open_halls']],
    ['a function', 'SELECT post_count(1)', ['posts']],
    ['a function in PL/pgSQL', 'SELECT * FROM post_titles(1)', ['posts']],
    ['a function that computes', 'SELECT add_one(1)', []],
    ['functions that call each other', 'SELECT even(4)', []],
    ['an aggregate', 'SELECT tally(1)', ['flags']],
    ['a call in attribute notation', 'SELECT u.display FROM users u', ['badges', 'users']],
    ['a function with a search path of its own', 'SELECT shop.stock()', ['shop.items']],
    ['a function that writes', 'SELECT bump()', ['(writes)']],
    ['a stable function that calls it', 'SELECT sly()', ['(writes)']],
    ['a view that calls it', 'SELECT * FROM busy', ['busy', '(writes)']],
    ['a function that locks', 'SELECT locks()', ['users', '(writes)']],
    ['an advisory lock', 'SELECT pg_advisory_lock(1)', ['(writes)']],
    ['a function that draws from a sequence', 'SELECT next_note()', ['(writes)']],
    ['dynamic SQL', `SELECT dynamic('users')`, ['(unknown)', '(writes)']],
    ['SQL in a string', `SELECT table_to_xml('users', true, true, '')`, ['(unknown)', '(writes)']],
    ['a sequence', 'SELECT last_value FROM notes_id_seq', ['notes_id_seq', '(primaryOnly)']],
    ['an unlogged table', 'SELECT * FROM cache', ['cache', '(primaryOnly)']],
    ['a temporary table', 'SELECT * FROM pg_temp.t', ['(primaryOnly)']],
    ['the state of one server', 'SELECT * FROM pg_locks', ['pg_catalog.pg_locks', '(primaryOnly)']],
    ['which server answers', 'SELECT pg_is_in_recovery(), inet_server_port()', []],
    ['a large object', 'SELECT lo_get(1)', ['pg_catalog.pg_largeobject']],
    ['a table that is not there', 'SELECT * FROM nowhere', ['(unknown)']],
    ['a function that is not there', 'SELECT nothing_such()', ['(unknown)', '(writes)']],
  ];
  for (const [what, sql, tables] of reads) {
    it(`reads: ${what}`, () => expect(read(sql)).to.deep.equal(tables));
  }

  it('says what it did not find', () => {
    expect(catalog.readClosure(factsOf('SELECT f(x) FROM shop.nowhere')).missing).to.deep.equal([
      'shop.nowhere',
      'f()',
    ]);
    expect(catalog.writeClosure(factsOf('DELETE FROM nowhere')).missing).to.deep.equal(['nowhere']);
  });

  it('does not call a temporary function missing, though nothing is known of it', () => {
    const closure = catalog.readClosure(factsOf('SELECT pg_temp.helper()'));
    expect(closure).to.include({ unknown: true, writes: true });
    expect(closure.missing).to.deep.equal([]);
  });

  it('says why', () => {
    expect(catalog.readClosure(factsOf('SELECT sly()')).because).to.match(/writes hits/);
    expect(catalog.readClosure(factsOf('SELECT * FROM cache')).because).to.match(
      /cache is unlogged/,
    );
    expect(catalog.writeClosure(factsOf('INSERT INTO orders VALUES (1)')).because).to.match(
      /public\.audit/,
    );
  });

  it('gives the same frozen answer to the same question', () => {
    const closure = catalog.readClosure(factsOf('SELECT * FROM user_posts'));
    expect(catalog.readClosure(factsOf('SELECT name FROM user_posts'))).to.equal(closure);
    expect(closure).to.be.frozen;
    expect(closure.tables).to.be.frozen;
    const write = catalog.writeClosure(factsOf('DELETE FROM users'));
    expect(catalog.writeClosure(factsOf('DELETE FROM users WHERE id = 1'))).to.equal(write);
    expect(catalog.writeClosure(factsOf('TRUNCATE users'))).not.to.equal(write);
  });

  describe('an update of known columns', () => {
    const updated = (table: string, ...columns: string[]) =>
      [...catalog.writeClosure(updateOf(table, ...columns)).tables].sort();

    it('leaves references alone unless it assigns the key', () => {
      expect(updated('users', 'name', 'seen_at')).to.deep.equal(['users']);
      expect(updated('users', 'name', 'id')).to.deep.equal(['posts', 'users']);
    });

    it('goes on from a changed reference only where that is a key itself', () => {
      expect(updated('posts', 'user_id')).to.deep.equal(['posts']);
      expect(updated('posts', 'id')).to.deep.equal(['comments', 'posts']);
    });

    it('counts a column the catalog has not seen as any', () =>
      expect(updated('users', 'new_name')).to.deep.equal(['posts', 'users']));

    it('counts a key that a BEFORE trigger may assign', () =>
      expect(updated('keyed', 'v')).to.deep.equal(['keyed', 'keyed_child']));

    it('fires UPDATE OF triggers of these columns only', () => {
      expect(updated('notes', 'body')).to.deep.equal(['flags', 'notes']);
      expect(updated('notes', 'flagged')).to.deep.equal(['flag_log', 'flags', 'notes']);
    });

    it('moves rows between partitions only when the key is assigned', () => {
      expect(updated('events', 'kind')).to.deep.equal(['events', 'events_1', 'events_2']);
      expect(updated('events', 'at')).to.deep.equal([
        'event_moves',
        'events',
        'events_1',
        'events_2',
      ]);
    });
  });

  describe('names', () => {
    const bare = (name: string) => ({ schema: undefined, name });

    it('gives bare keys in the default schema only', () => {
      expect(catalog.keyOf('public', 'users')).to.equal('users');
      expect(catalog.keyOf('shop', 'items')).to.equal('shop.items');
      expect(catalog.searchPath).to.deep.equal(['pg_catalog', 'public']);
    });

    it('looks bare names up on the search path, or everywhere when told', () => {
      expect(catalog.resolve(bare('users'))).to.deep.equal(['users']);
      expect(catalog.resolve(bare('items'))).to.deep.equal([]);
      expect(catalog.resolve(bare('users'), { anySchema: true })).to.have.members([
        'users',
        'tenant_a.users',
      ]);
      expect(catalog.resolve({ schema: 'tenant_a', name: 'users' })).to.deep.equal([
        'tenant_a.users',
      ]);
      expect(catalog.resolve(bare('Mixed Case'))).to.deep.equal(['Mixed Case']);
      expect(catalog.resolve(bare('mixed case'))).to.deep.equal([]);
    });

    it('closes over every schema when told', () => {
      const closure = catalog.writeClosure(factsOf('DELETE FROM users'), { anySchema: true });
      expect(closure.tables).to.include.members(['users', 'tenant_a.users', 'posts']);
      expect(
        catalog.readClosure(factsOf('SELECT post_count(1) FROM users'), { anySchema: true }).tables,
      ).to.have.members(['users', 'tenant_a.users', 'posts']);
    });

    it('names everything whose reading may touch a table', () => {
      const names = catalog.namesReading(['posts']);
      expect(names).to.include.keys(
        'posts',
        'user_posts',
        'user_posts_upper',
        'post_count',
        'post_titles',
      );
      expect(names).not.to.include.keys('users');
      expect(names).not.to.include.keys('post_counts');
      expect(catalog.namesReading(['events_1'])).to.include.keys('events', 'events_1');
      expect(catalog.namesReading(['events_1'])).not.to.include.keys('events_2');
      expect(catalog.namesReading(['memberships'])).to.include.keys('rooms');
      expect(catalog.namesReading(['grants'])).to.include.keys('halls', 'granted');
      expect(catalog.namesReading(['badges'])).to.include.keys('display');
      expect(catalog.namesReading(['Mixed Case'])).to.include.keys('mixed case', 'mixed_view');
      expect(catalog.namesReading(['shop.items'])).to.include.keys('items', 'stock');
    });

    it('always names what no replica can answer', () => {
      const names = catalog.namesReading([]);
      expect(names).to.include.keys(
        'cache',
        'dynamic',
        'bump',
        'busy',
        'notes_id_seq',
        'table_to_xml',
        'pg_locks',
      );
      expect(names).not.to.include.keys('users');
      expect(names).not.to.include.keys('now');
      expect(catalog.namesReading([])).to.equal(names);
    });

    it('takes the last part of a key that it does not have', () =>
      expect(catalog.namesReading(['shop.later'])).to.include.keys('later'));

    it('tells harmless functions by their bodies', () => {
      for (const name of ['now', 'count', 'add_one', 'even', 'post_count', 'random', 'pg_sleep']) {
        expect(catalog.isHarmlessFunction(bare(name)), name).to.equal(true);
      }
      for (const name of [
        'bump',
        'sly',
        'locks',
        'dynamic',
        'nextval',
        'pg_notify',
        'currval',
        'no_such',
      ]) {
        expect(catalog.isHarmlessFunction(bare(name)), name).to.equal(false);
      }
      expect(catalog.isHarmlessFunction({ schema: 'pg_catalog', name: 'lower' })).to.equal(true);
      expect(catalog.isHarmlessFunction({ schema: 'shop', name: 'lower' })).to.equal(false);
    });
  });

  describe('relatedTables', () => {
    it('replaces unknown, and cascades still count', async () => {
      const told = await ground.load({ relatedTables: { orders: ['order_totals'] } });
      const insert = told.writeClosure(factsOf('INSERT INTO orders (total) VALUES (1)'));
      expect(insert.unknown).to.equal(false);
      expect(insert.tables).to.have.members(['orders', 'order_totals']);
      const removal = told.writeClosure(factsOf('DELETE FROM public.orders'));
      expect(removal.unknown).to.equal(false);
      expect(removal.tables).to.have.members(['orders', 'order_totals', 'order_lines']);
    });

    it('goes for the partitions of a table too, which carry its triggers', async () => {
      await ground.client.query(`
        CREATE TABLE sales (at int) PARTITION BY RANGE (at);
        CREATE TABLE sales_1 PARTITION OF sales FOR VALUES FROM (0) TO (100);
        CREATE TRIGGER audited AFTER INSERT ON sales FOR EACH ROW EXECUTE FUNCTION audit()`);
      const told = await ground.load({ relatedTables: { sales: ['order_totals'] } });
      const closure = told.writeClosure(factsOf('INSERT INTO sales VALUES (1)'));
      expect(closure.unknown).to.equal(false);
      expect(closure.tables).to.have.members(['sales', 'sales_1', 'order_totals']);
    });

    it('excuses no other table', async () => {
      const told = await ground.load({ relatedTables: { unrelated: ['shop.items'] } });
      expect(told.writeClosure(factsOf('INSERT INTO orders (total) VALUES (1)')).unknown).to.equal(
        true,
      );
      expect(
        told.writeClosure(factsOf('INSERT INTO unrelated DEFAULT VALUES')).tables,
      ).to.have.members(['unrelated', 'shop.items']);
    });

    it('warns of a name that is not there, and leaves unknown unknown', async () => {
      const warnings: string[] = [];
      const told = await ground.load({
        relatedTables: { orders: ['order_total'] },
        onWarning: (message) => warnings.push(message),
      });
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(/entry for orders is ignored.*order_total/);
      expect(told.writeClosure(factsOf('INSERT INTO orders (total) VALUES (1)')).unknown).to.equal(
        true,
      );
    });
  });
});
