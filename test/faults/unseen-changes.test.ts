import { expect } from 'chai';
import { Ground, servers, until, type App } from './support';

const READ = 'SELECT version, pg_is_in_recovery() AS standby FROM rare';
/** Longer than any test: what is replayed anew stays away until the test lets it come. */
const HOUR_MS = 3_600_000;

for (const { title, options } of servers()) {
  describe(`replicas that are not what they were (${title})`, () => {
    let ground: Ground;
    let said: string[];

    before(async () => {
      // Nothing but a checkpoint writes pages to disk, so a crash restart begins with what that left.
      const settings = { bgwriter_lru_maxpages: 0, checkpoint_timeout: '1h' };
      ground = await Ground.start({ ...options, settings });
    });
    after(() => ground.stop());
    beforeEach(() => void (said = []));
    // Looks for connections and rejections that were left behind.
    afterEach(async () => {
      if (!ground.replica1.promoted) await ground.replica1.setLag(0);
      await ground.heal();
    });

    function start(): Promise<App> {
      return ground.readyApp({ logger: { warn: (message) => said.push(message) } });
    }

    /** Resolves once `node` serves a write of this process, and nothing is live any more. */
    async function writtenAndShown(app: App, version: number): Promise<void> {
      await app.sequelize.query(`UPDATE rare SET version = ${version}`);
      await app.untilServedBy('replica1', 'rare');
      await app.untilServedBy('replica2', 'rare');
      await app.untilExpired();
    }

    const read = async (app: App) => (await app.select<{ version: number }>(READ))[0]!.version;

    it('one process of one is killed: all of it restarts, and stays below what it showed', async () => {
      const { replica1, cluster } = ground;
      const app = await start();
      await cluster.primary.query('CHECKPOINT');
      await cluster.waitForReplicas();
      await replica1.query('CHECKPOINT');
      await writtenAndShown(app, 501);
      // Commits that were applied long ago are held back when they are replayed again.
      await replica1.setLag(HOUR_MS);
      const [pid] = await ground.processesOn(replica1);
      process.kill(pid!, 'SIGKILL');
      // It answers others, without the row: whatever is read from it now is stale.
      await until(async () => {
        const [row] = await replica1.query('SELECT version FROM rare').catch(() => []);
        return row !== undefined && row['version'] !== 501;
      });
      const versions = new Set<number>();
      app.decisions.length = 0;
      // A read of it, or the refusal of a connection to it: either ends the suspense.
      await until(async () => {
        versions.add(await read(app));
        return (
          app.decisions.some(({ node }) => node === 'replica1') ||
          said.some((message) => /replica1 is (still )?down \(not-admitted\)/.test(message))
        );
      });
      for (let i = 0; i < 50; i++) versions.add(await read(app));
      expect([...versions]).to.deep.equal([501]);
      await replica1.setLag(0);
      await app.untilServedBy('replica1', 'rare');
      expect(await read(app)).to.equal(501);
    });

    it('one is promoted while nobody writes: reads leave it, and the others go on', async () => {
      const app = await start();
      await writtenAndShown(app, 502);
      await ground.replica1.promote();
      await until(async () => {
        await read(app);
        return said.some((message) => message.includes('replica1 is not a standby (any more)'));
      });
      expect(app.reads.status().nodes.map(({ serves }) => serves)).to.deep.equal([
        true,
        false,
        true,
      ]);
      app.decisions.length = 0;
      for (let i = 0; i < 50; i++) {
        const [row] = await app.select(READ);
        expect(row).to.deep.equal({ version: 502, standby: true });
      }
      expect(new Set(app.decisions.map(({ node }) => node))).to.deep.equal(new Set(['replica2']));
    });
  });
}
