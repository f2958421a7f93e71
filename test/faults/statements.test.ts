import { expect } from 'chai';
import { Ground, barrier, servers, until } from './support';

for (const { title, options } of servers()) {
  describe(`what a standby can't do, or not yet (${title})`, () => {
    let ground: Ground;

    before(async () => {
      ground = await Ground.start(options);
    });
    after(() => ground.stop());
    afterEach(() => ground.heal());

    it('a table that another client has made, not there yet, is read on the primary', async () => {
      const app = await ground.readyApp();
      for (const replica of ground.cluster.replicas) await replica.pause();
      await ground.cluster.primary.query('CREATE TABLE brand_new AS SELECT 1 AS id');
      // An operation each: until the catalog is read again, brand_new might be a view that writes.
      await app.reads.runOperation({}, async () => {
        expect(await app.select('SELECT id FROM brand_new')).to.deep.equal([{ id: 1 }]);
      });
      expect(app.last).to.include({ target: 'primary', reason: 'replica-failed' });
      await app.reads.runOperation({}, () => app.select('SELECT id FROM items LIMIT 1'));
      expect(app.last.target).to.equal('replica');
    });

    it('a column, a type, a function, a schema and a value of an enum: the same', async () => {
      await ground.run(`CREATE TYPE mood AS ENUM ('well')`);
      const app = await ground.readyApp();
      for (const replica of ground.cluster.replicas) await replica.pause();
      for (const sql of [
        'ALTER TABLE bulk ADD COLUMN more int DEFAULT 5',
        `ALTER TYPE mood ADD VALUE 'better'`,
        'CREATE FUNCTION seven() RETURNS int LANGUAGE sql STABLE AS $$ SELECT 7 $$',
        'CREATE SCHEMA elsewhere',
        'CREATE TABLE elsewhere.things AS SELECT 3 AS id',
        'CREATE DOMAIN small AS int',
      ]) {
        await ground.cluster.primary.query(sql);
      }
      for (const sql of [
        'SELECT more FROM bulk',
        `SELECT 'better'::mood`,
        'SELECT seven()',
        'SELECT * FROM elsewhere.things',
        'SELECT 1::small',
      ]) {
        await app.select(sql);
        expect(app.last.target, sql).to.equal('primary');
      }
    });

    it('a write that nothing gave away is repeated on the primary, and counts for every table', async () => {
      const app = await ground.readyApp();
      // After the catalog was read, and with no write of ours that would have us look again.
      await ground.run(
        'CREATE TABLE notes (id serial)',
        `CREATE FUNCTION note(int, int) RETURNS int LANGUAGE sql VOLATILE
           AS $$ INSERT INTO notes DEFAULT VALUES RETURNING 1 $$`,
        'CREATE OPERATOR <+> (LEFTARG = int, RIGHTARG = int, FUNCTION = note)',
      );
      for (const replica of ground.cluster.replicas) await replica.pause();
      await app.select('SELECT 1 <+> 2');
      expect(app.decisions.map(({ target }) => target)).to.deep.equal(['replica', 'primary']);
      expect(app.reads.status().liveWrites.map(({ table }) => table)).to.deep.equal(['*']);
      const [row] = await app.select('SELECT count(*)::int AS n FROM notes');
      expect(row).to.deep.equal({ n: 1 });
      await app.select('SELECT 1 FROM items LIMIT 1');
      expect(app.last.target).to.equal('primary');
      await ground.cluster.primary.query('DROP FUNCTION note CASCADE');
    });

    it('an error of the statement itself is the caller’s, and is not repeated', async () => {
      const app = await ground.readyApp();
      const error = await app.select('SELECT 1 / 0 FROM items').catch((thrown: unknown) => thrown);
      expect(error).to.have.nested.property('parent.code', '22012');
      expect(app.decisions.filter(({ tables }) => tables.includes('items'))).to.have.length(1);
    });

    for (const [what, sql] of [
      ['read', 'SELECT id FROM items WHERE id = 50'],
      ['call a function', 'SELECT writes() AS id'],
    ] as const) {
      it(`three transactions that each ${what} outside themselves on a pool of three finish`, async () => {
        await ground.run(
          `CREATE OR REPLACE FUNCTION writes() RETURNS int LANGUAGE sql VOLATILE
             AS $$ INSERT INTO bulk VALUES ('x') RETURNING 50 $$`,
        );
        const app = await ground.readyApp({}, { pool: { max: 3, acquire: 3000 } });
        const all = barrier(3);
        const rows = await Promise.all(
          [1, 2, 3].map((id) =>
            app.sequelize.transaction(async (transaction) => {
              await app.sequelize.query(`UPDATE items SET version = 5 WHERE id = ${id}`, {
                transaction,
              });
              await all();
              return app.select(sql);
            }),
          ),
        );
        expect(rows.flat()).to.deep.equal([{ id: 50 }, { id: 50 }, { id: 50 }]);
      });
    }

    it('a write is known to have arrived though another transaction holds WAL back', async () => {
      const app = await ground.readyApp();
      const other = await app.sequelize.transaction();
      const ended = new AbortController();
      const busy = (async () => {
        while (!ended.signal.aborted) {
          await app.sequelize.query('INSERT INTO bulk VALUES (1)', { transaction: other });
        }
      })();
      for (let i = 0; i < 5; i++) {
        await app.reads.runOperation({}, async () => {
          await app.sequelize.query('UPDATE rare SET version = version + 1');
          await until(() => Promise.resolve(app.reads.history().length === 0));
        });
      }
      ended.abort();
      await busy;
      await other.rollback();
    });

    it('one replica is caught up, one is paused: only the first serves what was written', async () => {
      const app = await ground.readyApp();
      await ground.replica2.pause();
      await app.reads.runOperation({}, async () => {
        await app.sequelize.query('UPDATE rare SET version = 41');
        await app.untilServedBy('replica1', 'rare');
        app.decisions.length = 0;
        for (let i = 0; i < 40; i++) {
          const rows = await app.select('SELECT version FROM rare');
          expect(rows).to.deep.equal([{ version: 41 }]);
        }
        expect(new Set(app.decisions.map(({ node }) => node))).to.deep.equal(new Set(['replica1']));
        expect(app.last.reason).to.equal('caught-up');
      });
    });
  });
}

describe('a read that is in the way of replay', () => {
  it('is cancelled, and answered all the same', async () => {
    const ground = await Ground.start({
      replicas: 1,
      settings: { max_standby_streaming_delay: 0 },
    });
    const app = await ground.readyApp();
    // On the replica for as long as it takes to be cancelled; on the primary there is nothing to wait for.
    const reading = app.select<{ n: number }>(
      'SELECT count(*)::int AS n, pg_sleep(CASE WHEN pg_is_in_recovery() THEN 60 ELSE 0 END) FROM items',
    );
    const asleep = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
    await until(async () => (await ground.replica1.query(asleep)).length > 0);
    expect(app.last.node).to.equal('replica1');
    await ground.cluster.primary.query('ALTER TABLE items ADD COLUMN more int DEFAULT 1');
    expect(await reading).to.deep.equal([{ n: 100, pg_sleep: '' }]);
    expect(app.last).to.include({ target: 'primary', reason: 'replica-failed' });
    await app.untilServedBy('replica1', 'rare');
    await ground.heal();
    await ground.stop();
  });
});
