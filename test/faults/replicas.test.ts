import { expect } from 'chai';
import { Ground, servers, until, type App } from './support';
import { Traffic } from './traffic';

for (const { title, options } of servers()) {
  describe(`replicas that break, under reads and writes (${title})`, () => {
    let ground: Ground;
    let app: App;
    let traffic: Traffic;

    before(async () => {
      ground = await Ground.start(options);
    });
    after(() => ground.stop());

    beforeEach(async () => {
      app = await ground.readyApp();
      traffic = new Traffic(app, { writers: 6, readers: 6 });
      await traffic.pass(100);
    });
    afterEach(async () => {
      await traffic.stop();
      await ground.heal();
    });

    /** Ends the traffic; it saw nothing of the fault. */
    async function sawNothing(): Promise<void> {
      await traffic.pass(100);
      await traffic.stop();
      expect(traffic.failed).to.deep.equal([]);
      expect(traffic.stale).to.deep.equal([]);
    }

    /** Resolves once a write is known to be on `node`: it is in full use. */
    async function fullyUsed(node: string): Promise<void> {
      await until(() =>
        app.reads.runOperation({}, async () => {
          await app.sequelize.query('UPDATE items SET version = version + 1 WHERE id = 100');
          await app.select('SELECT version FROM items WHERE id = 100');
          for (let i = 0; i < 10 && app.decisions.at(-1)?.node !== node; i++) {
            await app.select('SELECT version FROM items WHERE id = 100');
          }
          return app.decisions.some((one) => one.node === node && one.reason === 'caught-up');
        }),
      );
    }

    it('both serve, also what was written a moment ago', async () => {
      await fullyUsed('replica1');
      await fullyUsed('replica2');
      await sawNothing();
    });

    it('one is stopped, and started again', async () => {
      await ground.replica1.stop();
      await traffic.pass(200);
      await ground.replica1.start();
      app.decisions.length = 0;
      await fullyUsed('replica1');
      await sawNothing();
    });

    it('one is killed, and started again', async () => {
      await ground.replica1.kill();
      await traffic.pass(200);
      await ground.replica1.start();
      app.decisions.length = 0;
      await fullyUsed('replica1');
      await sawNothing();
    });

    it('one is frozen, lets go of all that waits for it, and is thawed', async () => {
      await fullyUsed('replica1');
      await ground.replica1.freeze();
      await traffic.pass(50);
      await traffic.stop();
      expect(traffic.failed).to.deep.equal([]);
      traffic = new Traffic(app, { writers: 6, readers: 6 });
      await ground.replica1.thaw();
      app.decisions.length = 0;
      await fullyUsed('replica1');
      await sawNothing();
    });

    it('the replay of one is paused, and resumed', async () => {
      await ground.replica1.pause();
      await traffic.pass(400);
      await ground.replica1.resume();
      app.decisions.length = 0;
      await fullyUsed('replica1');
      await sawNothing();
    });

    it('both are killed: the primary takes over, until they are back', async () => {
      await Promise.all([ground.replica1.kill(), ground.replica2.kill()]);
      app.decisions.length = 0;
      await until(() => Promise.resolve(app.decisions.length > 200));
      await Promise.all([ground.replica1.start(), ground.replica2.start()]);
      app.decisions.length = 0;
      await fullyUsed('replica2');
      await sawNothing();
    });
  });
}

describe('fifty at a time while a replica is killed and restarted twice', () => {
  it('no read fails and none is stale', async () => {
    const ground = await Ground.start();
    const app = await ground.readyApp();
    const traffic = new Traffic(app, { writers: 25, readers: 25 });
    for (let i = 0; i < 2; i++) {
      await traffic.pass(300);
      await ground.replica1.kill();
      await traffic.pass(300);
      await ground.replica1.start();
      app.decisions.length = 0;
      await until(() => Promise.resolve(app.decisions.some(({ node }) => node === 'replica1')));
    }
    await until(() => Promise.resolve(app.decisions.some((one) => one.reason === 'caught-up')));
    await traffic.stop();
    expect(traffic.failed).to.deep.equal([]);
    expect(traffic.stale).to.deep.equal([]);
    await ground.heal();
    await ground.stop();
  });
});
