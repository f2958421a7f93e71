import { expect } from 'chai';
import type { Transaction } from 'sequelize';
import { Ground, failure, servers, until, type App } from './support';

for (const { title, options } of servers()) {
  describe(`a read-only transaction whose replica dies (${title})`, () => {
    let ground: Ground;

    before(async () => {
      ground = await Ground.start(options);
    });
    after(() => ground.stop());
    // Looks for connections and rejections that were left behind.
    afterEach(() => ground.heal());

    const readOnly = <T>(app: App, fn: (transaction: Transaction) => Promise<T>) =>
      app.sequelize.transaction({ readOnly: true }, fn);

    /** The replica that serves `transaction`. */
    async function replicaOf(app: App, transaction: Transaction) {
      await app.sequelize.query('SELECT 1 FROM rare', { transaction });
      expect(app.last).to.include({ target: 'replica', reason: 'in-transaction' });
      return ground.cluster.replicas.find(({ name }) => name === app.last.node)!;
    }

    /** Resolves with the replica that serves a transaction now. */
    const served = (app: App) => readOnly(app, (transaction) => replicaOf(app, transaction));

    for (const how of ['stop', 'kill'] as const) {
      it(`${how}: the caller is told, nothing leaks, and the next one runs elsewhere`, async () => {
        // One connection a node: a leaked one would leave none.
        const app = await ground.readyApp({}, { pool: { max: 1, acquire: 5000 } });
        let victim = ground.replica1;
        const error = await failure(
          readOnly(app, async (transaction) => {
            victim = await replicaOf(app, transaction);
            await victim[how]();
            await app.sequelize.query('SELECT version FROM rare', { transaction });
          }),
        );
        expect(error.name).to.equal('SequelizeDatabaseError');
        expect(error.message).to.match(
          /^terminating connection|^Connection terminated|not queryable$|^the database system is/,
        );
        for (let i = 0; i < 4; i++) expect((await served(app)).name).not.to.equal(victim.name);
        expect(await app.select('SELECT count(*)::int AS n FROM rare')).to.deep.equal([{ n: 1 }]);
        await victim.start();
        await app.untilServedBy(victim.name, 'rare');
        expect(app.sequelize).to.have.nested.property('connectionManager.pool.read.using', 0);
        expect(app.sequelize).to.have.nested.property('connectionManager.pool.write.using', 0);
      });
    }

    it('before it has sent anything: the same', async () => {
      const app = await ground.readyApp({}, { pool: { max: 1, acquire: 5000 } });
      const first = await served(app);
      const second = await served(app);
      expect(second.name).not.to.equal(first.name);
      await Promise.all([first.kill(), second.kill()]);
      await until(async () =>
        app.reads.status().nodes.every(({ name, serves }) => serves === (name === 'primary')),
      );
      // The primary takes what no replica can.
      await readOnly(app, async (transaction) => {
        await app.sequelize.query('SELECT 1 FROM rare', { transaction });
        expect(app.last).to.include({ target: 'primary', reason: 'in-transaction' });
      });
    });

    it('frozen: cut loose, told, and the next one runs elsewhere', async () => {
      const app = await ground.readyApp({}, { pool: { max: 1, acquire: 5000 } });
      let victim = ground.replica1;
      const error = await failure(
        readOnly(app, async (transaction) => {
          victim = await replicaOf(app, transaction);
          await victim.freeze();
          await app.sequelize.query('SELECT version FROM rare', { transaction });
        }),
      );
      expect(error.message).to.match(/^Connection terminated/);
      for (let i = 0; i < 4; i++) expect((await served(app)).name).not.to.equal(victim.name);
    });
  });
}
