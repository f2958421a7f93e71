import { expect } from 'chai';
import { isReplicasUnavailableError } from '../../src';
import { Ground, failure, until } from './support';

describe('what the options say of replicas that are away or behind', () => {
  let ground: Ground;

  before(async () => {
    ground = await Ground.start();
  });
  after(() => ground.stop());
  afterEach(() => ground.heal());

  async function stopReplicas(): Promise<void> {
    await Promise.all(ground.cluster.replicas.map((replica) => replica.stop()));
  }

  async function pauseReplicas(): Promise<void> {
    for (const replica of ground.cluster.replicas) await replica.pause();
  }

  it("onNoReplica: 'error' turns reads away, and nothing else", async () => {
    const app = await ground.readyApp({ onNoReplica: 'error' });
    await stopReplicas();
    const error = await failure(app.select('SELECT 1 FROM items LIMIT 1'));
    expect(error).to.satisfy(isReplicasUnavailableError);
    await failure(app.select('SELECT 1 FROM items LIMIT 1'));
    await app.sequelize.query('UPDATE rare SET version = 3');
    await app.sequelize.transaction((transaction) =>
      app.sequelize.query('SELECT 1 FROM items LIMIT 1', { transaction }),
    );
    await app.reads.usePrimary(() => app.select('SELECT 1 FROM items LIMIT 1'));
  });

  it("onNoReplica: 'error' lets the primary answer what its caller wrote", async () => {
    const app = await ground.readyApp({ onNoReplica: 'error' });
    await pauseReplicas();
    await app.sequelize.query('UPDATE rare SET version = 4');
    expect(await app.select('SELECT version FROM rare')).to.deep.equal([{ version: 4 }]);
    expect(app.last).to.include({ target: 'primary', reason: 'table-written' });
  });

  it('maxPrimaryFallback turns away the read that is one too many, and counts again', async () => {
    const app = await ground.readyApp({ maxPrimaryFallback: 2 });
    await stopReplicas();
    await app.select('SELECT 1 FROM items LIMIT 1');
    const slow = 'SELECT pg_sleep(0.3) FROM items LIMIT 1';
    const results = await Promise.allSettled([1, 2, 3].map(() => app.select(slow)));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => isReplicasUnavailableError(reason))).to.deep.equal([true]);
    for (let i = 0; i < 5; i++) await app.select('SELECT 1 FROM items LIMIT 1');
  });

  it('maxPrimaryFallback does not count reads that are the primary’s own', async () => {
    const app = await ground.readyApp({ maxPrimaryFallback: 1 });
    await pauseReplicas();
    await app.sequelize.query('UPDATE rare SET version = 5');
    await Promise.all([1, 2, 3].map(() => app.select('SELECT pg_sleep(0.1), version FROM rare')));
  });

  it('maxReplicaLagMs: replicas that are further behind serve nothing, near ones everything', async () => {
    const app = await ground.readyApp({ maxReplicaLagMs: 500 });
    await app.sequelize.query('UPDATE rare SET version = 6');
    await app.untilServedBy('replica1', 'items');
    await app.untilServedBy('replica2', 'items');
    await ground.replica1.pause();
    await until(async () => {
      await app.sequelize.query('UPDATE rare SET version = version + 1');
      app.decisions.length = 0;
      for (let i = 0; i < 10; i++) await app.select('SELECT 1 FROM items LIMIT 1');
      return app.decisions.every(({ node }) => node !== 'replica1');
    });
    await ground.replica2.pause();
    // Without anything to replay it would not be behind.
    await ground.cluster.primary.query('UPDATE rare SET version = 0');
    await until(async () => {
      await app.select('SELECT 1 FROM items LIMIT 1');
      return app.last.reason === 'too-far-behind';
    });
    await ground.replica1.resume();
    await app.untilServedBy('replica1', 'items');
  });

  it('maxReplicaLagMs: a process that only reads uses replicas as well', async () => {
    const app = await ground.readyApp({ maxReplicaLagMs: 5000 });
    await app.untilServedBy('replica1', 'items');
  });

  it('maxReplicaLagMs: a process that only reads notices a replica that stands still', async () => {
    const app = await ground.readyApp({ maxReplicaLagMs: 300 });
    await app.sequelize.query('UPDATE rare SET version = 7');
    await app.untilServedBy('replica1', 'items');
    await app.untilExpired();
    await pauseReplicas();
    await ground.cluster.primary.query('UPDATE rare SET version = 8');
    await until(async () => {
      await app.select('SELECT 1 FROM items LIMIT 1');
      return app.last.reason === 'too-far-behind';
    });
  });

  for (const [what, wrong] of [
    ['password', { password: 'wrong' }],
    ['database', { database: 'nowhere' }],
    ['host', { host: 'nowhere.invalid' }],
  ] as const) {
    it(`a replica that can't be entered (wrong ${what}) fails no read`, async () => {
      const { replication, ...rest } = ground.cluster.sequelizeOptions();
      const [first, second] = replication.read;
      const read = [{ ...first!, ...wrong }, second!];
      const app = await ground.readyApp({}, { ...rest, replication: { ...replication, read } });
      await app.sequelize.query('UPDATE rare SET version = 11');
      for (let i = 0; i < 10; i++) {
        expect(await app.select('SELECT version FROM rare')).to.deep.equal([{ version: 11 }]);
      }
      await app.untilServedBy('replica2', 'rare');
      await app.untilExpired();
    });
  }

  describe('catchUpWaitMs', () => {
    it('longer than the lag: replicas answer every read after a write', async () => {
      for (const replica of ground.cluster.replicas) await replica.setLag(20);
      const app = await ground.readyApp({ freshness: { mode: 'proven', catchUpWaitMs: 20_000 } });
      await app.sequelize.query('UPDATE rare SET version = 0');
      await app.untilExpired();
      app.decisions.length = 0;
      for (let version = 1; version <= 60; version++) {
        await app.reads.runOperation({}, async () => {
          await app.sequelize.query(`UPDATE rare SET version = ${version}`);
          expect(await app.select('SELECT version FROM rare')).to.deep.equal([{ version }]);
        });
      }
      for (const replica of ground.cluster.replicas) await replica.setLag(0);
      const all = app.decisions.filter(({ reason }) => reason !== 'not-a-read');
      const waited = all.filter(({ reason }) => reason === 'waited' || reason === 'caught-up');
      expect(all).to.have.length(60);
      expect(waited).to.have.length(60);
      expect(waited.some(({ waitedMs }) => waitedMs > 0)).to.equal(true);
    });

    it('ends when no replica comes, and the primary answers', async () => {
      const app = await ground.readyApp({ freshness: { mode: 'proven', catchUpWaitMs: 50 } });
      await pauseReplicas();
      await app.sequelize.query('UPDATE rare SET version = 9');
      expect(await app.select('SELECT version FROM rare')).to.deep.equal([{ version: 9 }]);
      expect(app.last).to.include({ target: 'primary', reason: 'table-written' });
      expect(app.last.waitedMs).to.be.at.least(45);
    });

    it('is not spent on a write that is not committed yet', async () => {
      const app = await ground.readyApp({ freshness: { mode: 'proven', catchUpWaitMs: 20_000 } });
      const transaction = await app.sequelize.transaction();
      await app.sequelize.query('UPDATE rare SET version = 10', { transaction });
      await app.select('SELECT version FROM rare');
      expect(app.last).to.include({ target: 'primary', reason: 'table-written', waitedMs: 0 });
      await transaction.rollback();
    });
  });
});
