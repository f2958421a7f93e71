import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { Sequelize } from 'sequelize';
import { freshReads } from '../../src';

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const TERMINATED = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

describe('a server that ends a connection in the packet that opens it', () => {
  let server: Server;

  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  after(() => {
    server.close();
  });

  it('fails the read, and not the process', async () => {
    const node = { host: '127.0.0.1', port: String((server.address() as AddressInfo).port) };
    const options = {
      dialect: 'postgres' as const,
      databaseVersion: '16.0.0',
      logging: false,
      replication: { write: node, read: [node] },
    };
    const sequelize = new Sequelize('town', 'app', 'secret', options);
    // Mocha fails the test for an uncaught exception as well.
    freshReads(sequelize);
    const error = await sequelize.query('SELECT 1', { type: 'SELECT' }).catch((e: unknown) => e);
    expect(error).to.be.an('error');
    await sequelize.close();
  });
});
