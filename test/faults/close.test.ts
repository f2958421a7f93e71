import { expect } from 'chai';
import { Ground, until, type App } from './support';

describe('close() in the middle of everything', () => {
  let ground: Ground;

  before(async () => {
    ground = await Ground.start();
  });
  after(() => ground.stop());
  // Looks for connections and rejections that were left behind.
  afterEach(() => ground.heal());

  /** Reads that wait for a replica, writes under way, probes at work. */
  async function busy(app: App): Promise<Promise<unknown>[]> {
    await app.sequelize.query('UPDATE rare SET version = 1');
    const work = [
      ...[1, 2, 3].map(() => app.select('SELECT version FROM rare')),
      app.select('SELECT pg_sleep(0.1) FROM items LIMIT 1'),
      app.sequelize.query('UPDATE items SET version = 0 WHERE id < 50'),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    return work;
  }

  for (const state of ['at work', 'paused', 'killed', 'frozen'] as const) {
    it(`replicas ${state}: it resolves, and what was under way is answered or refused`, async () => {
      const app = await ground.readyApp({ freshness: { mode: 'proven', catchUpWaitMs: 20_000 } });
      await app.untilServedBy('replica1', 'rare');
      for (const replica of ground.cluster.replicas) {
        if (state === 'paused') await replica.pause();
        if (state === 'killed') await replica.kill();
      }
      // One is enough to hold things up, and each takes its time.
      if (state === 'frozen') await ground.replica1.freeze();
      const work = await busy(app);
      const [closed, , ...ended] = await Promise.allSettled([
        app.sequelize.close(),
        app.reads.close(),
        ...work,
      ]);
      expect(closed.status).to.equal('fulfilled');
      for (const one of ended) {
        if (one.status === 'rejected') {
          expect(String(one.reason)).to.match(/closed|draining/);
        }
      }
    });
  }

  for (const state of ['stopped', 'frozen'] as const) {
    it(`the primary ${state}, the outcome of a write unknown: it resolves`, async () => {
      const app = await ground.readyApp({}, { dialectOptions: { query_timeout: 1000 } });
      const died = app.sequelize
        .query('UPDATE rare SET version = length(pg_sleep(60)::text)')
        .catch((error: unknown) => error);
      await until(async () => {
        const sql = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
        return (await ground.cluster.primary.query(sql)).length > 0;
      });
      if (state === 'stopped') await ground.cluster.primary.kill();
      else await ground.cluster.primary.freeze();
      expect(await died).to.be.instanceOf(Error);
      expect(app.reads.status().liveWrites.map(({ state: is }) => is)).to.include('in-flight');
      await app.sequelize.close();
    });
  }

  it('before anything was done, twice, and at once after the start', async () => {
    const app = ground.app();
    await Promise.all([app.sequelize.close(), app.reads.close()]);
    await app.sequelize.close();
    const other = ground.app();
    const reading = other.select('SELECT 1 FROM items LIMIT 1').catch((error: unknown) => error);
    await other.sequelize.close();
    await reading;
  });

  it('a handle that is closed leaves a working instance without it', async () => {
    const app = await ground.readyApp();
    const work = await busy(app);
    await app.reads.close();
    await Promise.all(work);
    expect(await app.select('SELECT count(*)::int AS n FROM items')).to.deep.equal([{ n: 100 }]);
    await app.sequelize.query('UPDATE rare SET version = 2');
  });

  it('a logger that throws breaks nothing', async () => {
    const app = await ground.readyApp({
      logger: {
        warn: () => {
          throw new Error('the logger broke');
        },
      },
    });
    await app.sequelize.query('UPDATE rare SET version = 3');
    await app.untilServedBy('replica1', 'rare');
    await ground.replica1.stop();
    await until(async () => {
      await app.sequelize.query('UPDATE rare SET version = 4');
      return app.reads.status().warnings.some((warning) => warning.startsWith('replica1'));
    });
    await app.untilServedBy('replica2', 'rare');
  });
});
