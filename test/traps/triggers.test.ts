import { expect } from 'chai';
import { ask, connect, prepare, type Setting } from './support';

describe('triggers that can not be read', () => {
  let setting: Setting;

  before(async () => {
    setting = await prepare([
      'CREATE TABLE documents (id serial PRIMARY KEY, body text, search tsvector)',
      `CREATE TRIGGER searched BEFORE INSERT OR UPDATE ON documents FOR EACH ROW
        EXECUTE FUNCTION tsvector_update_trigger(search, 'pg_catalog.english', body)`,
      'CREATE TRIGGER same BEFORE UPDATE ON documents FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      'CREATE TABLE orders (id serial PRIMARY KEY, total int)',
      'CREATE TABLE order_totals (total int)',
      'CREATE TABLE audit_logs (entry text)',
      'CREATE TABLE audit_counts (n int)',
      'CREATE TABLE posts (id serial PRIMARY KEY)',
      `CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN EXECUTE format('INSERT INTO %I VALUES (1)', TG_ARGV[0]); RETURN NULL; END $$`,
      `CREATE TRIGGER totalled AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION audit('order_totals')`,
      `CREATE FUNCTION count_audit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO audit_counts VALUES (1); RETURN NULL; END $$`,
      'CREATE TRIGGER counted AFTER INSERT ON audit_logs FOR EACH ROW EXECUTE FUNCTION count_audit()',
    ]);
  });
  after(() => setting.database.close());

  async function written(on: Setting, sql: string): Promise<string[]> {
    return on.reads.runOperation({}, async () => {
      await on.sequelize.query(sql);
      return on.reads.history().map(({ table }) => table);
    });
  }

  it('in C and known: they change the row at hand and nothing else', async () => {
    expect(await written(setting, "INSERT INTO documents (body) VALUES ('x')")).to.deep.equal([
      'documents',
    ]);
    expect(await written(setting, "UPDATE documents SET body = 'y'")).to.deep.equal(['documents']);
  });

  it('that build their SQL: everything counts as written', async () => {
    expect(await written(setting, 'INSERT INTO orders (total) VALUES (1)')).to.deep.equal(['*']);
    expect(await written(setting, 'DELETE FROM orders')).to.deep.equal(['orders']);
  });

  it('relatedTables says what they write', async () => {
    const told = await connect(setting.database, {
      options: { relatedTables: { orders: ['order_totals'] } },
    });
    const tables = await written(told, 'INSERT INTO orders (total) VALUES (1)');
    expect(tables.sort()).to.deep.equal(['order_totals', 'orders']);
  });

  it('ignoreWrites: no read waits for those tables, and their triggers still count', async () => {
    const told = await connect(setting.database, { options: { ignoreWrites: ['audit_logs'] } });
    await told.reads.runOperation({}, async () => {
      await told.sequelize.query("INSERT INTO audit_logs VALUES ('x')");
      expect(await ask(told, 'SELECT * FROM audit_logs')).to.equal('replica tables-untouched');
      expect(await ask(told, 'SELECT * FROM audit_counts')).to.equal('primary table-written');
      expect(await ask(told, 'SELECT * FROM posts')).to.equal('replica tables-untouched');
    });
  });
});
