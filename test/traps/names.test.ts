import { expect } from 'chai';
import { DataTypes, QueryTypes } from 'sequelize';
import { ask, askAfter, connect, prepare, type Setting } from './support';

const LONG = 'a_table_whose_name_is_longer_than_the_sixty_three_bytes_that_a_server_keeps_of_it';

describe('names', () => {
  let setting: Setting;

  before(async () => {
    setting = await prepare([
      'CREATE SCHEMA one; CREATE SCHEMA two; CREATE SCHEMA "Mixed Schema"',
      'CREATE TABLE users (id serial PRIMARY KEY, name text); CREATE TABLE posts (id int)',
      'CREATE TABLE one.users (id serial PRIMARY KEY, name text); CREATE TABLE two.users (id serial PRIMARY KEY, name text)',
      'CREATE TABLE "Mixed Case" (id int, "Some Column" text); CREATE TABLE "Mixed Schema"."Mixed.Table" (id int)',
      'CREATE TABLE "sélection" (id int); CREATE TABLE "say ""hi""" (id int); CREATE TABLE "a$b" (id int)',
      'CREATE TABLE "one.users" (id int); CREATE TABLE "UPDATE" (id int); CREATE TABLE "Üben" (id int)',
      `CREATE TABLE ${LONG} (id int)`,
      'CREATE TABLE events (at int) PARTITION BY RANGE (at); CREATE TABLE events_low PARTITION OF events FOR VALUES FROM (0) TO (9)',
      'CREATE VIEW "Mixed View" AS SELECT * FROM "Mixed Case"',
    ]);
    await setting.database.pauseReplicas();
  });
  after(() => setting.database.close());

  const found: [write: string, read: string][] = [
    ['INSERT INTO "Mixed Case" (id) VALUES (1)', 'SELECT * FROM "Mixed Case"'],
    ['INSERT INTO "Mixed Case" (id) VALUES (1)', 'SELECT "Some Column" FROM public."Mixed Case" x'],
    ['INSERT INTO "Mixed Case" (id) VALUES (1)', 'SELECT * FROM "Mixed View"'],
    ['INSERT INTO "Mixed View" (id) VALUES (1)', 'TABLE "Mixed Case"'],
    [
      'INSERT INTO "Mixed Schema"."Mixed.Table" VALUES (1)',
      'SELECT * FROM "Mixed Schema" . "Mixed.Table"',
    ],
    ['INSERT INTO "sélection" VALUES (1)', 'SELECT * FROM sélection'],
    ['INSERT INTO sélection VALUES (1)', 'SELECT * FROM U&"s\\00e9lection"'],
    ['INSERT INTO "say ""hi""" VALUES (1)', 'SELECT * FROM "say ""hi"""'],
    ['INSERT INTO a$b VALUES (1)', 'SELECT * FROM A$B'],
    ['INSERT INTO "one.users" VALUES (1)', 'SELECT * FROM "one.users"'],
    ['INSERT INTO "UPDATE" VALUES (1)', 'SELECT * FROM "UPDATE"'],
    ['INSERT INTO "Üben" VALUES (1)', 'SELECT * FROM "Üben"'],
    [`INSERT INTO ${LONG} VALUES (1)`, `SELECT * FROM ${LONG.slice(0, 63)}`],
    [`INSERT INTO ${LONG.slice(0, 63)} VALUES (1)`, `SELECT * FROM ${LONG.toUpperCase()}`],
    ['INSERT INTO USERS DEFAULT VALUES', 'SELECT * FROM "users"'],
    ['INSERT INTO one.users DEFAULT VALUES', 'SELECT * FROM One.Users'],
    ['INSERT INTO "users" DEFAULT VALUES', 'SELECT * FROM/**/users--'],
    ['UPDATE "posts" SET id = 1', 'SELECT (SELECT count(*) FROM posts)'],
  ];
  for (const [write, read] of found) {
    it(`are the same: ${write} / ${read}`, async () => {
      expect(await askAfter(setting, write, read)).to.equal('primary table-written');
    });
  }

  const apart: [write: string, read: string][] = [
    ['INSERT INTO one.users DEFAULT VALUES', 'SELECT * FROM two.users'],
    ['INSERT INTO one.users DEFAULT VALUES', 'SELECT * FROM users'],
    ['INSERT INTO users DEFAULT VALUES', 'SELECT * FROM one.users'],
    ['INSERT INTO users DEFAULT VALUES', "SELECT 'users' AS users FROM posts users -- users"],
    ['INSERT INTO "Mixed Case" (id) VALUES (1)', 'SELECT id AS "Mixed Case" FROM posts'],
  ];
  for (const [write, read] of apart) {
    it(`are not the same: ${write} / ${read}`, async () => {
      expect(await askAfter(setting, write, read)).to.equal('replica tables-untouched');
    });
  }

  it('of models: schema() of a model, and its default one', async () => {
    const { sequelize, reads } = setting;
    const User = sequelize.define('user', { name: DataTypes.TEXT }, { timestamps: false });
    await reads.runOperation({}, async () => {
      await User.schema('one').create({ name: 'in one' });
      setting.log.take();
      await User.schema('one').findAll();
      await User.schema('two').findAll();
      await User.findAll();
    });
    expect(setting.log.take()).to.deep.equal([
      'primary table-written one.users',
      'replica tables-untouched two.users',
      'replica tables-untouched users',
    ]);
  });

  it('along the searchPath of a query', async () => {
    const tenant = await connect(setting.database, {
      sequelize: { dialectOptions: { prependSearchPath: true } },
    });
    const User = tenant.sequelize.define('user', { name: DataTypes.TEXT }, { timestamps: false });
    await tenant.reads.runOperation({}, async () => {
      const inTwo: object = { searchPath: 'two' };
      const row = await User.create({ name: 'here' }, inTwo);
      const id = row.get('id');
      const again = await User.findOne({ where: { id, name: 'here' }, ...inTwo });
      expect(again).not.to.equal(null);
      const [found] = await tenant.sequelize.query("SELECT * FROM two.users WHERE name = 'here'", {
        type: QueryTypes.SELECT,
      });
      expect(found).to.have.property('id', id);
      expect(await ask(tenant, 'SELECT * FROM posts')).to.equal('replica tables-untouched');
    });
  });

  it('once the search path of a pooled connection has been set: in every schema', async () => {
    const moved = await connect(setting.database, { sequelize: { pool: { max: 1 } } });
    await moved.reads.runOperation({}, async () => {
      await moved.sequelize.query('SET search_path TO two');
      await moved.sequelize.query("INSERT INTO users (name) VALUES ('moved')");
      const [found] = await moved.sequelize.query("SELECT * FROM two.users WHERE name = 'moved'", {
        type: QueryTypes.SELECT,
      });
      expect(found).not.to.equal(undefined);
      expect(await ask(moved, 'SELECT * FROM public.posts')).to.equal('replica tables-untouched');
    });
  });

  it('once the search path has been set within another statement', async () => {
    const moved = await connect(setting.database, { sequelize: { pool: { max: 1 } } });
    await moved.reads.runOperation({}, async () => {
      await moved.sequelize.query("SELECT set_config('search_path', 'two', false)");
      await moved.sequelize.query("INSERT INTO users (name) VALUES ('set')");
      const [found] = await moved.sequelize.query("SELECT * FROM two.users WHERE name = 'set'", {
        type: QueryTypes.SELECT,
      });
      expect(found).not.to.equal(undefined);
    });
  });

  it('that markWritten takes', async () => {
    const { reads } = setting;
    const marks: [string, string][] = [
      ['Mixed Case', 'SELECT * FROM "Mixed Case"'],
      ['one.users', 'SELECT * FROM one.users'],
      ['posts', 'SELECT * FROM posts'],
    ];
    for (const [name, read] of marks) {
      await reads.runOperation({}, async () => {
        reads.markWritten([name]);
        expect(await ask(setting, read), name).to.equal('primary table-written');
        expect(await ask(setting, 'SELECT * FROM two.users')).to.equal('replica tables-untouched');
      });
    }
  });

  it('that markWritten takes and the database does not have: everything counts as written', async () => {
    // Of its own: it reads the catalog anew, and until then it is sure of nothing.
    const told = await connect(setting.database);
    const { reads } = told;
    await reads.runOperation({}, async () => {
      reads.markWritten(['user']);
      expect(await ask(told, 'SELECT * FROM posts')).to.equal('primary tables-unknown');
    });
    expect(reads.status().warnings).to.deep.equal([
      'markWritten: no table or view user is known on the search path (of other schemas the full name ' +
        'is needed, as in "schema.table"): it counts as a write to every table.',
    ]);
  });

  it('that ignoreWrites has and the database does not: left out, and said so', async () => {
    const options = { ignoreWrites: ['posts', 'poste'] };
    const { reads } = await connect(setting.database, { options });
    expect(reads.status().warnings).to.deep.equal([
      'ignoreWrites: no table or view poste is known on the search path (of other schemas the full ' +
        'name is needed, as in "schema.table"): it is left out while that is so.',
    ]);
  });

  it('that markWritten takes: a view stands for what is behind it, a parent for its parts', async () => {
    const { reads } = setting;
    const marks: [string, string][] = [
      ['Mixed View', 'SELECT * FROM "Mixed Case"'],
      ['events', 'SELECT * FROM events_low'],
      ['events_low', 'SELECT * FROM events'],
    ];
    for (const [name, read] of marks) {
      await reads.runOperation({}, async () => {
        reads.markWritten([name]);
        expect(await ask(setting, read), name).to.equal('primary table-written');
      });
    }
  });
});
