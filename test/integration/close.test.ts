import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { Sequelize } from 'sequelize';
import { freshReads } from '../../src';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

describe('close()', () => {
  let database: TestDatabase;
  let silent: Server;
  const sockets = new Set<Socket>();

  before(async () => {
    database = await createDatabase();
    // A replica that accepts connections and says nothing.
    silent = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await database.close();
  });

  for (const routing of ['enforce', 'observe'] as const) {
    it(`asks no replica for the rest of a catalog that is still being read (${routing})`, async () => {
      const { write, read } = database.cluster.sequelizeOptions().replication;
      const { port } = silent.address() as AddressInfo;
      const sequelize = new Sequelize({
        dialect: 'postgres',
        logging: false,
        database: database.name,
        username: write.username,
        password: write.password,
        replication: {
          write: { ...write, database: database.name },
          read: [{ ...read[0], database: database.name, port }],
        },
      });
      const reads = freshReads(sequelize, { routing, freshness: { mode: 'fixed' } });
      await sequelize.query('SELECT 1', { useMaster: true });
      const before = sockets.size;
      await sequelize.close();
      expect(sockets.size).to.equal(before);
      // A script that is soon over is told nothing about rights that it might not have.
      expect(reads.status().warnings).to.deep.equal([]);
    });
  }

  it('lets go whoever waits for a catalog that is read no more', async () => {
    const sequelize = database.connect();
    const ready = freshReads(sequelize, { sessionSecret: 's'.repeat(16) }).ready();
    await sequelize.close();
    await ready;
  });
});
