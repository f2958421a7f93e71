import { expect } from 'chai';
import { QueryTypes, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

/** Data without what is undefined in it. */
function withoutGaps(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withoutGaps);
  if (typeof data !== 'object' || data === null) return data;
  const entries = Object.entries(data).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutGaps(value)]));
}

describe('what a handle tells of itself', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;

  before(async () => {
    database = await createDatabase('CREATE TABLE users (id serial PRIMARY KEY, name text)');
    sequelize = database.connect();
    reads = freshReads(sequelize);
    await reads.ready();
  });
  after(async () => {
    await sequelize.close();
    await database.close();
  });

  it('is plain data: status, records and decisions are the same after a way through JSON', async () => {
    const log = new DecisionLog(reads);
    await reads.runOperation({ name: 'writes' }, async () => {
      const deadline = Date.now() + 20_000;
      while (reads.status().nodes[1]?.lagBytes === undefined && Date.now() < deadline) {
        await sequelize.query("INSERT INTO users (name) VALUES ('x')");
        await sequelize.query('SELECT count(*) FROM users', { type: QueryTypes.SELECT });
      }
      await sequelize.query("INSERT INTO users (name) VALUES ('y')");
      const status = reads.status();
      expect(status.nodes[1]).to.have.property('lagBytes').that.is.a('number');
      for (const data of [status, reads.history(), log.all]) {
        const there: unknown = JSON.parse(JSON.stringify(data));
        expect(there).to.deep.equal(withoutGaps(data));
      }
    });
  });
});
