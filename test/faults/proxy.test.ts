import { expect } from 'chai';
import { Ground, until, type App } from './support';
import { TcpProxy } from '../support/tcp-proxy';

describe('a network between the process and its replicas', () => {
  let ground: Ground;
  let proxy: TcpProxy;
  let version = 0;

  before(async () => {
    ground = await Ground.start();
  });
  after(() => ground.stop());
  beforeEach(async () => (proxy = await TcpProxy.start(ground.replica1.port)));
  afterEach(async () => {
    proxy.flow();
    await ground.heal();
    await proxy.stop();
  });

  /** An instance whose only replica is what is behind the proxy, `also` beside it. */
  async function behindProxy(also: 'alone' | 'with replica2' = 'alone'): Promise<App> {
    const { replication, ...rest } = ground.cluster.sequelizeOptions();
    const [first, second] = replication.read;
    const read = [{ ...first!, name: 'proxied', port: proxy.port }, second!];
    return ground.readyApp(
      {},
      {
        ...rest,
        replication: { ...replication, read: also === 'alone' ? read.slice(0, 1) : read },
      },
    );
  }

  async function write(app: App): Promise<void> {
    await app.sequelize.query(`UPDATE rare SET version = ${++version}`);
  }

  async function expectFresh(app: App): Promise<void> {
    const [row] = await app.select<{ version: number }>('SELECT version FROM rare');
    expect(row?.version, `read from ${app.last.node} (${app.last.reason})`).to.equal(version);
  }

  async function writeAndRead(app: App, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      await write(app);
      await Promise.all([1, 2, 3, 4].map(() => expectFresh(app)));
      for (let j = 0; j < 5; j++) await expectFresh(app);
    }
  }

  it('one name for two servers, one of them paused: no read is stale', async () => {
    await ground.replica2.pause();
    proxy.targets = [ground.replica1.port, ground.replica2.port];
    await writeAndRead(await behindProxy(), 30);
  });

  it('one name for two servers, beside a replica of its own: that one serves what was written', async () => {
    proxy.targets = [ground.replica1.port, ground.cluster.primary.port];
    const app = await behindProxy('with replica2');
    await writeAndRead(app, 10);
    await write(app);
    await app.untilServedBy('replica2', 'rare');
  });

  it('a name that moves on to another server, while connections to the first stay open', async () => {
    const app = await behindProxy();
    await write(app);
    await Promise.all([1, 2, 3].map(() => app.select('SELECT version, pg_sleep(0.05) FROM rare')));
    await app.untilServedBy('proxied', 'rare');
    await Promise.all([1, 2, 3].map(() => app.select('SELECT 1, pg_sleep(0.05) FROM rare')));
    await ground.replica1.pause();
    proxy.target = ground.replica2.port;
    await write(app);
    // More at a time than there are open connections, so that there are new ones.
    await Promise.all(
      [1, 2, 3, 4, 5].map(() => app.select('SELECT pg_sleep(0.1) FROM items LIMIT 1')),
    );
    await app.untilServedBy('proxied', 'rare');
    for (let i = 0; i < 30; i++) await expectFresh(app);
    await writeAndRead(app, 5);
  });

  it('connections that are dropped again and again fail no read', async () => {
    const app = await behindProxy();
    for (let i = 0; i < 5; i++) {
      await write(app);
      const reading = Promise.all(
        [1, 2, 3, 4].map(() => app.select('SELECT pg_sleep(0.02) FROM rare')),
      );
      await until(() => Promise.resolve(proxy.open > 0));
      proxy.dropAll();
      await reading;
      await expectFresh(app);
    }
    await app.untilServedBy('proxied', 'rare');
  });

  it('a black hole holds no read for long, and is used again when it lets through', async () => {
    const app = await behindProxy();
    await write(app);
    await app.untilServedBy('proxied', 'rare');
    proxy.stall();
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => app.select('SELECT 1 FROM items LIMIT 1')));
    await writeAndRead(app, 3);
    proxy.flow();
    await app.untilServedBy('proxied', 'rare');
  });

  it('connects that a black hole swallows are given up by close()', async () => {
    const app = await behindProxy();
    await write(app);
    await app.untilServedBy('proxied', 'rare');
    proxy.stall();
    await app.select('SELECT 1 FROM items LIMIT 1');
    const before = proxy.accepted;
    // Probes and trials go on knocking.
    await until(async () => {
      await write(app);
      return proxy.accepted > before;
    });
    await app.sequelize.close();
    await until(() => Promise.resolve(proxy.open === 0));
  });
});
