import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { freshReads } from '../../src';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

describe('nodes in containers', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createDatabase('CREATE TABLE notes (id serial PRIMARY KEY, text text)');
  });
  after(() => database.close());

  it('are a primary and two standbys, each in a machine of its own', async () => {
    const { primary, replicas } = database.cluster;
    const addresses = new Set<unknown>();
    for (const [index, node] of [primary, ...replicas].entries()) {
      const [row] = await node.query(
        'SELECT inet_server_addr() AS address, pg_is_in_recovery() AS standby',
      );
      expect(row?.['standby']).to.equal(index > 0);
      addresses.add(row?.['address']);
    }
    expect(addresses.size).to.equal(3);
    expect([...addresses]).to.not.include('127.0.0.1');
  });

  it('serve reads until something is written, and again once they have it', async () => {
    const sequelize = database.connect();
    const reads = freshReads(sequelize);
    await reads.ready();
    const ask = async () => {
      const [row] = await sequelize.query<{ count: string; standby: boolean }>(
        'SELECT count(*), pg_is_in_recovery() AS standby FROM notes',
        { type: QueryTypes.SELECT },
      );
      return row;
    };
    await database.pauseReplicas();
    await reads.runOperation({ name: 'note' }, async () => {
      expect(await ask()).to.deep.equal({ count: '0', standby: true });
      await sequelize.query(`INSERT INTO notes (text) VALUES ('hello')`);
      expect(await ask()).to.deep.equal({ count: '1', standby: false });
      await database.resumeReplicas();
      let last = await ask();
      while (last?.standby !== true) last = await ask();
      expect(last).to.deep.equal({ count: '1', standby: true });
    });
  });
});
