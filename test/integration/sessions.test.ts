import { expect } from 'chai';
import { QueryTypes, type Sequelize } from 'sequelize';
import { freshReads } from '../../src';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

/** With one connection in the pool, scripts count on having one session: stock Sequelize gives it. */
describe('a pool of one connection', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;

  before(async () => {
    database = await createDatabase('CREATE SEQUENCE numbers');
    sequelize = database.connect({ pool: { max: 1 } });
    await freshReads(sequelize).ready();
  });
  after(() => database.close());

  async function valueOf(sql: string, options: object = {}): Promise<unknown> {
    const rows = await sequelize.query<Record<string, unknown>>(sql, {
      type: QueryTypes.SELECT,
      useMaster: true,
      ...options,
    });
    return Object.values(rows[0] ?? {})[0];
  }

  it('finds its temporary table again', async () => {
    await sequelize.query('CREATE TEMPORARY TABLE mine AS SELECT 5 AS five');
    const [rows] = await sequelize.query('SELECT * FROM mine');
    expect(rows).to.deep.equal([{ five: 5 }]);
    expect(await valueOf('SELECT five FROM mine')).to.equal(5);
  });

  it('finds its settings, its place in a sequence and its locks again', async () => {
    await sequelize.query("SET my.setting = 'x'");
    const [rows] = await sequelize.query("SELECT current_setting('my.setting') AS value");
    expect(rows).to.deep.equal([{ value: 'x' }]);
    await sequelize.query("SELECT nextval('numbers')");
    expect(await valueOf("SELECT currval('numbers')")).to.equal('1');
    await sequelize.query('SELECT pg_advisory_lock(77)');
    expect(await valueOf('SELECT pg_advisory_unlock(77)')).to.equal(true);
  });
});

describe('before the catalog is read', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial PRIMARY KEY, name text)',
      `CREATE FUNCTION add_one() RETURNS int LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO users (name) VALUES ('hidden'); RETURN 1; END $$`,
      'CREATE VIEW adding AS SELECT add_one() AS one',
    );
    await database.pauseReplicas();
  });
  after(() => database.close());

  it('a write that a view hides counts, sent to the primary or refused by a standby', async () => {
    for (const options of [{ useMaster: true }, { freshness: 'primary' as const }, {}]) {
      const sequelize = database.connect();
      const reads = freshReads(sequelize);
      await reads.runOperation({}, async () => {
        const count = async (where: object = {}) => {
          const [row] = await sequelize.query<{ n: number }>(
            'SELECT count(*)::int AS n FROM users',
            {
              type: QueryTypes.SELECT,
              ...where,
            },
          );
          return row?.n;
        };
        await sequelize.query('SELECT * FROM adding', { type: QueryTypes.SELECT, ...options });
        expect(await count()).to.equal(await count({ useMaster: true }));
      });
      await sequelize.close();
    }
  });
});
