import { expect } from 'chai';
import { QueryTypes, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads, type FreshReadsOptions } from '../../src';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

/** A bound on the lag holds for what others write, too: this process writes nothing here. */
describe('a bound on the lag', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let log: DecisionLog;

  before(async () => {
    database = await createDatabase('CREATE TABLE users (id serial PRIMARY KEY, name text)');
  });
  afterEach(async () => {
    await sequelize.close();
    await database.resumeReplicas();
  });
  after(() => database.close());

  async function connect(options: FreshReadsOptions): Promise<void> {
    sequelize = database.connect();
    reads = freshReads(sequelize, options);
    await reads.ready();
    log = new DecisionLog(reads);
  }

  async function read(maxLagMs?: number): Promise<string> {
    await sequelize.query('SELECT count(*) FROM users', {
      type: QueryTypes.SELECT,
      ...(maxLagMs !== undefined && { freshness: { maxLagMs } }),
    });
    const { target, reason } = log.all.splice(0).at(-1)!;
    return `${target} ${reason}`;
  }

  /** Reads until the answer is the expected one: what the probes find out takes a moment. */
  async function readUntil(expected: string, maxLagMs?: number): Promise<void> {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const answer = await read(maxLagMs);
      if (answer === expected) return;
      if (Date.now() > deadline) throw new Error(`still ${answer}, never ${expected}`);
      await new Promise(setImmediate);
    }
  }

  it('of a query keeps it from replicas that are not known to be that near', async () => {
    await connect({});
    await readUntil('replica no-live-writes', 500);
    await database.pauseReplicas();
    await database.run("INSERT INTO users (name) VALUES ('by another process')");
    // The last look was a good one: it must not count for ever.
    await readUntil('primary too-far-behind', 500);
    expect(await read()).to.equal('replica no-live-writes');
    await database.resumeReplicas();
    await readUntil('replica no-live-writes', 500);
  });

  it('of the options keeps every read from them, those that ask for a replica included', async () => {
    await connect({ maxReplicaLagMs: 500 });
    await readUntil('replica no-live-writes');
    await database.pauseReplicas();
    await database.run("INSERT INTO users (name) VALUES ('by another process')");
    await readUntil('primary too-far-behind');
    await reads.useReplica(async () => {
      expect(await read()).to.equal('primary too-far-behind');
    });
  });

  for (const mode of ['proven', 'measured'] as const) {
    it(`keeps nothing from replicas that are near, however seldom something is read (${mode})`, async () => {
      const boundMs = 150;
      await connect({ freshness: { mode }, maxReplicaLagMs: boundMs });
      const afterRest = async (query: () => Promise<string>) => {
        for (let tries = 0; tries < 20; tries++) {
          await new Promise((resolve) => setTimeout(resolve, 2 * boundMs));
          const answer = await query();
          if (answer.startsWith('replica')) return;
        }
        throw new Error('never from a replica');
      };
      await afterRest(() => read());
      await afterRest(() => reads.useReplica(() => read()));
      await afterRest(() =>
        sequelize.transaction({ readOnly: true }, async (transaction) => {
          await sequelize.query('SELECT 1', { type: QueryTypes.SELECT, transaction });
          const { target, reason } = log.all.splice(0).at(-1)!;
          return `${target} ${reason}`;
        }),
      );
    });
  }

  it('is never met with a fixed window, which knows of no lag', async () => {
    await connect({ freshness: { mode: 'fixed' } });
    expect(await read(60_000)).to.equal('primary too-far-behind');
    expect(await read()).to.equal('replica no-live-writes');
  });

  it('is never met by the primary as an entry of replication.read, which serves all other reads', async () => {
    const { write } = database.cluster.sequelizeOptions().replication;
    const only = { ...write, database: database.name };
    const connectAlone = async (options: FreshReadsOptions) => {
      sequelize = database.connect({
        replication: { write: only, read: [{ ...only, name: 'itself' }] },
      });
      reads = freshReads(sequelize, options);
      await reads.ready();
      log = new DecisionLog(reads);
    };
    await connectAlone({});
    await reads.runOperation({ name: 'sign-up' }, async () => {
      await sequelize.query("INSERT INTO users (name) VALUES ('Ann')");
      await readUntil('replica caught-up');
      expect(await read(500)).to.equal('primary too-far-behind');
    });
    await readUntil('replica no-live-writes');
    await sequelize.close();
    await connectAlone({ maxReplicaLagMs: 500 });
    expect(await read()).to.equal('primary too-far-behind');
  });
});
