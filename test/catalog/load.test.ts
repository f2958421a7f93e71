import { expect } from 'chai';
import type { Client } from 'pg';
import { loadCatalog, type CatalogQuery } from '../../src/catalog';
import { decidedEffect } from '../../src/catalog/builtin';
import { analyseBody, factsOf, prepareGround, type Ground } from './support';

describe('catalog: loading', () => {
  let ground: Ground;
  let client: Client;

  before(async () => {
    ground = await prepareGround();
    client = ground.client;
  });
  after(() => ground.close());

  /** Loads with statements on some system tables refused, as a role without rights would see it. */
  async function loadWithout(...tables: string[]) {
    const warnings: string[] = [];
    const query: CatalogQuery = (sql) => {
      const refused = tables.find((table) => sql.includes(`FROM pg_catalog.${table}`));
      const isFingerprint = sql.includes('AS fingerprint');
      return refused !== undefined && !isFingerprint
        ? Promise.reject(new Error(`permission denied for table ${refused}`))
        : ground.query(sql);
    };
    const onWarning = (message: string) => warnings.push(message);
    return { catalog: await loadCatalog(query, { analyseBody, onWarning }), warnings };
  }

  it('counts writes as unknown when their part could not be read, and says so once', async () => {
    const { catalog, warnings } = await loadWithout('pg_trigger t');
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/triggers: permission denied for table pg_trigger/);
    const closure = catalog.writeClosure(factsOf('DELETE FROM unrelated'));
    expect(closure.unknown).to.equal(true);
    expect(closure.because).to.match(/catalog could not be read \(triggers\)/);
    expect(catalog.readClosure(factsOf('SELECT * FROM users')).unknown).to.equal(false);
  });

  it('counts reads as unknown, and as writes, when theirs could not be read', async () => {
    const { catalog, warnings } = await loadWithout('pg_rewrite r', 'pg_policy p');
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/rules: .*policies: /);
    expect(catalog.readClosure(factsOf('SELECT * FROM users'))).to.include({
      unknown: true,
      writes: true,
    });
    expect(catalog.writeClosure(factsOf('DELETE FROM unrelated')).unknown).to.equal(true);
  });

  for (const [code, incomplete] of [
    ['55P03', true],
    ['57014', true],
    ['42501', false],
  ] as const) {
    it(`is ${incomplete ? '' : 'not '}incomplete when a part failed with ${code}`, async () => {
      const query: CatalogQuery = (sql) =>
        sql.includes('FROM pg_catalog.pg_trigger t')
          ? Promise.reject(Object.assign(new Error('no'), { parent: { code } }))
          : ground.query(sql);
      expect(await loadCatalog(query, { analyseBody })).to.include({ incomplete });
    });
  }

  it('fails when nothing can be read', async () => {
    const query: CatalogQuery = () => Promise.reject(new Error('no connection'));
    let failure: unknown;
    await loadCatalog(query, { analyseBody }).catch((error: unknown) => (failure = error));
    expect(failure).to.be.instanceOf(Error).with.property('message', 'no connection');
  });

  it('carries the fingerprint and is right about a database that changed since', async () => {
    const before = await ground.load();
    await client.query('CREATE TABLE later (id int)');
    expect(before.writeClosure(factsOf('DELETE FROM later')).missing).to.deep.equal(['later']);
    const after = await ground.load();
    expect(after.fingerprint).not.to.equal(before.fingerprint);
    expect(after.writeClosure(factsOf('DELETE FROM later')).tables).to.deep.equal(['later']);
  });

  it('leaves temporary tables of its own session out', async () => {
    await client.query('CREATE TEMP TABLE users (id int)');
    const catalog = await ground.load();
    await client.query('DROP TABLE pg_temp.users');
    expect(catalog.resolve({ schema: undefined, name: 'users' })).to.deep.equal(['users']);
    expect(catalog.searchPath).to.deep.equal(['pg_catalog', 'public']);
  });

  it('keeps keys as they are on a connection that was told another search path', async () => {
    await client.query('SET search_path = shop');
    const catalog = await ground.load();
    await client.query('RESET search_path');
    expect(catalog.keyOf('public', 'users')).to.equal('users');
    expect(catalog.resolve({ schema: undefined, name: 'items' })).to.deep.equal(['shop.items']);
    expect(catalog.resolve({ schema: undefined, name: 'users' })).to.deep.equal(['users']);
  });

  it('fires only the triggers of its replication role', async () => {
    await client.query('ALTER TABLE sleepers ENABLE REPLICA TRIGGER off');
    const tables = async () =>
      (await ground.load()).writeClosure(factsOf('INSERT INTO sleepers VALUES (1)')).tables;
    expect(await tables()).to.deep.equal(['sleepers']);
    await client.query('SET session_replication_role = replica');
    expect(await tables()).to.have.members(['sleepers', 'flag_log']);
    await client.query('RESET session_replication_role');
    await client.query('ALTER TABLE sleepers ENABLE ALWAYS TRIGGER off');
    expect(await tables()).to.have.members(['sleepers', 'flag_log']);
  });

  it('reads a body again only when it changed', async () => {
    const read: string[] = [];
    const counting: typeof analyseBody = (language, body, definition) => {
      read.push(/FUNCTION public\.(\w+)/.exec(definition)?.[1] ?? definition);
      return analyseBody(language, body, definition);
    };
    await ground.load({ analyseBody: counting });
    expect(read).to.include.members(['post_count', 'bump', 'audit']);
    expect(new Set(read).size).to.equal(read.length);
    read.length = 0;
    await client.query(
      `CREATE OR REPLACE FUNCTION add_one(i int) RETURNS int LANGUAGE sql AS 'SELECT i + bump()'`,
    );
    const catalog = await ground.load({ analyseBody: counting });
    // Those that could not be read are tried again.
    expect(read).to.have.members(['add_one', 'audit', 'dynamic']);
    expect(catalog.isHarmlessFunction({ schema: undefined, name: 'add_one' })).to.equal(false);
    expect(catalog.isHarmlessFunction({ schema: undefined, name: 'post_count' })).to.equal(true);
  });

  it('tells apart functions of the same name by their schema', async () => {
    await client.query(`CREATE FUNCTION shop.bump() RETURNS int LANGUAGE sql AS 'SELECT 1'`);
    const catalog = await ground.load();
    await client.query('DROP FUNCTION shop.bump()');
    expect(catalog.isHarmlessFunction({ schema: 'shop', name: 'bump' })).to.equal(true);
    expect(catalog.isHarmlessFunction({ schema: undefined, name: 'bump' })).to.equal(false);
  });

  it('reads bodies in standard SQL, and judges functions of extensions by name', async () => {
    await client.query(`
      CREATE FUNCTION atomic() RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM flags; END;
      CREATE FUNCTION atomic_write() RETURNS int BEGIN ATOMIC INSERT INTO hits VALUES (1) RETURNING n; END;
      CREATE FUNCTION returned() RETURNS bool RETURN EXISTS (SELECT FROM grants);
      CREATE EXTENSION citext; CREATE EXTENSION tablefunc; CREATE EXTENSION dblink`);
    const catalog = await ground.load();
    expect(catalog.readClosure(factsOf('SELECT atomic(), returned()'))).to.include({
      unknown: false,
      writes: false,
    });
    expect(catalog.readClosure(factsOf('SELECT atomic(), returned()')).tables).to.have.members([
      'flags',
      'grants',
    ]);
    expect(catalog.writeClosure(factsOf('SELECT atomic_write()')).tables).to.deep.equal(['hits']);
    const harmless = (name: string) => catalog.isHarmlessFunction({ schema: undefined, name });
    expect([harmless('citext'), harmless('citext_eq'), harmless('regexp_matches')]).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect([harmless('normal_rand'), harmless('crosstab'), harmless('dblink')]).to.deep.equal([
      true,
      false,
      false,
    ]);
    expect(catalog.implicit.unknown).to.equal(false);
    expect(catalog.namesReading([])).to.include.keys('crosstab', 'dblink');
  });

  describe('functions that run without a name', () => {
    it('has none to begin with', async () => {
      const { implicit } = await ground.load();
      expect(implicit).to.include({ unknown: false, writes: false, primaryOnly: false });
      expect(implicit.tables).to.deep.equal([]);
    });

    for (const [what, make, drop] of [
      ['a cast', 'CREATE CAST (users AS int) WITH FUNCTION spy(users)', 'DROP CAST (users AS int)'],
      [
        'an operator',
        'CREATE OPERATOR @@ (RIGHTARG = users, FUNCTION = spy)',
        'DROP OPERATOR @@ (NONE, users)',
      ],
      [
        'a domain',
        'CREATE DOMAIN spied AS text CHECK (spy(NULL::users) IS NULL)',
        'DROP DOMAIN spied',
      ],
      [
        'the default of a domain',
        'CREATE DOMAIN spied AS int DEFAULT spy(NULL::users)',
        'DROP DOMAIN spied',
      ],
    ] as const) {
      it(`counts ${what} as part of every statement`, async () => {
        await client.query(
          `CREATE FUNCTION spy(u users) RETURNS int LANGUAGE sql AS 'INSERT INTO hits SELECT g.room FROM grants g RETURNING 1'`,
        );
        await client.query(make);
        const catalog = await ground.load();
        await client.query(`${drop}; DROP FUNCTION spy(users)`);
        expect(catalog.implicit.writes).to.equal(true);
        expect(catalog.readClosure(factsOf('SELECT * FROM badges')).tables).to.have.members([
          'badges',
          'grants',
        ]);
        expect(catalog.writeClosure(factsOf('DELETE FROM badges')).tables).to.have.members([
          'badges',
          'hits',
        ]);
        expect(catalog.namesReading(['grants'])).to.include.keys('badges');
      });
    }
  });

  it('has decided on every volatile function of this server', async () => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT DISTINCT proname::text AS name FROM pg_proc
       WHERE pronamespace = 'pg_catalog'::regnamespace AND provolatile = 'v' AND prorettype <> 'trigger'::regtype`,
    );
    expect(rows).to.have.length.above(200);
    expect(rows.map(({ name }) => name).filter((name) => !decidedEffect(name))).to.deep.equal([]);
  });
});
