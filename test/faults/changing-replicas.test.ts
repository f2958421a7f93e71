import { expect } from 'chai';
import type { Options } from 'sequelize';
import { freshReads, isOptionsError, isReplicasUnavailableError } from '../../src';
import type { FreshReadsOptions, ReplicaConfig } from '../../src';
import { Gate } from '../support/gate';
import { Ground, failure, until, type App } from './support';

const MODES: readonly NonNullable<FreshReadsOptions['freshness']>[] = [
  { mode: 'proven' },
  { mode: 'measured' },
  { mode: 'fixed', windowMs: 100 },
];

describe('replicas that come and go while the instance is at work', () => {
  let ground: Ground;

  before(async () => {
    ground = await Ground.start();
  });
  after(() => ground.stop());
  // Looks for connections and rejections that were left behind.
  afterEach(() => ground.heal());

  /** The entries of the cluster's replicas, without their names. */
  function entries(): ReplicaConfig[] {
    const { read } = ground.cluster.sequelizeOptions().replication;
    return read.map(({ host, port, username, password }) => ({ host, port, username, password }));
  }

  /** An instance that knows the first replica only. */
  function onOne(fresh: FreshReadsOptions = {}, options: Options = {}): Promise<App> {
    const { write } = ground.cluster.sequelizeOptions().replication;
    return ground.readyApp(fresh, {
      replication: { write, read: entries().slice(0, 1) },
      ...options,
    });
  }

  const names = (app: App) => app.reads.status().nodes.map(({ name }) => name);

  for (const freshness of MODES) {
    it(`come, serve, and go (${freshness.mode})`, async () => {
      const app = await onOne({ freshness });
      await app.sequelize.query('UPDATE rare SET version = version + 1');
      expect(app.reads.addReplica(entries()[1]!)).to.equal('replica2');
      expect(names(app)).to.deep.equal(['primary', 'replica1', 'replica2']);
      await app.untilServedBy('replica2', 'rare');
      expect(app.reads.status().nodes[2]).to.include({ role: 'replica', serves: true });
      await app.reads.removeReplica('replica2');
      expect(names(app)).to.deep.equal(['primary', 'replica1']);
      await ground.untilNobodyOn(ground.replica2);
      await app.untilServedBy('replica1', 'rare');
    });
  }

  for (const freshness of MODES.slice(0, 2)) {
    it(`one that is behind what has expired serves nothing until it shows it (${freshness.mode})`, async () => {
      const app = await onOne({ freshness });
      await ground.replica2.pause();
      await app.sequelize.query('UPDATE rare SET version = 101');
      await app.untilExpired();
      await app.sequelize.query('UPDATE items SET version = 101');
      const second = app.reads.addReplica({ ...entries()[1], name: 'second' });
      for (let i = 0; i < 50; i++) {
        expect(await app.select('SELECT version FROM rare')).to.deep.equal([{ version: 101 }]);
        expect(app.last.node).to.equal('replica1');
        const [row] = await app.select('SELECT version FROM items WHERE id = 1');
        expect(row).to.deep.equal({ version: 101 });
        expect(app.last.node).to.be.oneOf(['replica1', 'primary']);
      }
      expect(app.reads.status().nodes[2]).to.include({ name: second, serves: false });
      await ground.replica2.resume();
      await app.untilServedBy('second', 'rare');
      await app.untilServedBy('second', 'items');
    });
  }

  it('one that is paused while a write is live serves other tables, and that one later', async () => {
    const app = await onOne();
    await ground.replica1.pause();
    await ground.replica2.pause();
    await app.sequelize.query('UPDATE rare SET version = 102');
    app.reads.addReplica(entries()[1]!);
    await app.untilServedBy('replica2', 'items');
    for (let i = 0; i < 50; i++) {
      expect(await app.select('SELECT version FROM rare')).to.deep.equal([{ version: 102 }]);
      expect(app.last).to.include({ node: 'primary', reason: 'table-written' });
    }
    await ground.replica2.resume();
    await app.untilServedBy('replica2', 'rare');
    expect(app.last.reason).to.equal('caught-up');
  });

  it('one goes while twenty read: no read fails, and it is left alone', async () => {
    const app = await ground.readyApp({}, { pool: { max: 3 } });
    let on = true;
    let done = 0;
    const readers = Array.from({ length: 20 }, async () => {
      for (; on; done++) await app.select('SELECT count(*), pg_sleep(0.001) FROM items');
    });
    const served = (node: string) => () =>
      Promise.resolve(app.decisions.some((decision) => decision.node === node));
    await until(served('replica2'));
    await app.reads.removeReplica('replica2');
    expect(app.reads.status().nodes).to.have.length(2);
    await ground.untilNobodyOn(ground.replica2);
    app.decisions.length = 0;
    const seen = done;
    await until(() => Promise.resolve(done > seen + 100));
    expect(new Set(app.decisions.map(({ node }) => node))).to.deep.equal(new Set(['replica1']));
    app.reads.addReplica({ ...entries()[1]!, name: 'replica2' });
    await until(served('replica2'));
    on = false;
    await Promise.all(readers);
  });

  it('one that goes is waited for while it serves, and its name is taken until then', async () => {
    const app = await onOne();
    const gate = new Gate();
    app.sequelize.addHook('beforeQuery', 'gate', gate.pass);
    const reading = app.select('SELECT version FROM rare');
    await gate.reached;
    expect(app.last.node).to.equal('replica1');
    let gone = false;
    const removing = app.reads.removeReplica('replica1').then(() => (gone = true));
    expect(() => app.reads.addReplica({ ...entries()[1]!, name: 'replica1' })).to.throw(
      'the name "replica1" is taken, "replica1" is being removed: await removeReplica first',
    );
    await app.select('SELECT 1 FROM rare');
    expect(gone).to.equal(false);
    gate.open();
    expect(await reading).to.have.length(1);
    await removing;
    expect(app.reads.addReplica({ ...entries()[1]!, name: 'replica1' })).to.equal('replica1');
  });

  it('the last one goes: the primary serves, or nobody, as onNoReplica says', async () => {
    const app = await onOne();
    const strict = await onOne({ onNoReplica: 'error' });
    for (const one of [app, strict]) {
      await one.untilServedBy('replica1', 'items');
      await one.reads.removeReplica('replica1');
    }
    await app.select('SELECT 1 FROM items LIMIT 1');
    expect(app.last).to.include({ node: 'primary', reason: 'no-replica-fit' });
    const refused = await failure(strict.select('SELECT 1 FROM items LIMIT 1'));
    expect(isReplicasUnavailableError(refused)).to.equal(true);
    await app.sequelize.query('UPDATE rare SET version = 103');
    expect(app.reads.addReplica(entries()[0]!)).to.equal('replica2');
    await app.untilServedBy('replica2', 'rare');
  });

  it('begins without any, and leaves Sequelize one that works', async () => {
    const { write } = ground.cluster.sequelizeOptions().replication;
    const app = await ground.readyApp({}, { replication: { write, read: [] } });
    await app.select('SELECT 1 FROM items LIMIT 1');
    expect(app.last).to.include({ node: 'primary', reason: 'no-replica-fit' });
    const name = app.reads.addReplica(entries()[1]!);
    expect(name).to.equal('replica1');
    await app.untilServedBy(name, 'items');
    await app.reads.removeReplica(name);
    await app.reads.close();
    const [row] = await app.select('SELECT inet_server_port() AS port');
    expect(row).to.deep.equal({ port: write.port });
    expect(freshReads(app.sequelize).status().nodes).to.have.length(2);
  });

  it('one that is frozen goes as well', async () => {
    const app = await ground.readyApp();
    await app.untilServedBy('replica1', 'items');
    await app.untilServedBy('replica2', 'items');
    await ground.replica1.freeze();
    await app.reads.removeReplica('replica1');
    await app.untilServedBy('replica2', 'items');
  });

  it('names of their own are numbered on, and no name in use is given again', async () => {
    const app = await onOne();
    const [first, second] = entries();
    expect(app.reads.addReplica({ ...second!, name: 'replica3' })).to.equal('replica3');
    expect(app.reads.addReplica(second!)).to.equal('replica4');
    await app.reads.removeReplica('replica1');
    expect(app.reads.addReplica(first!)).to.equal('replica5');
    expect(names(app)).to.deep.equal(['primary', 'replica3', 'replica4', 'replica5']);
  });

  it('inherits what it leaves out, and Sequelize goes on with the same replicas after close()', async () => {
    const { username, password } = ground.cluster.sequelizeOptions().replication.write;
    const app = await onOne({}, { username, password });
    const { host, port } = ground.replica2;
    await app.reads.removeReplica('replica1');
    app.reads.addReplica({ host, port, pool: { max: 2 }, weight: 2 });
    await app.untilServedBy('replica2', 'items');
    await app.reads.close();
    const [row] = await app.select('SELECT inet_server_port() AS port');
    expect(row).to.deep.equal({ port });
    expect(
      freshReads(app.sequelize)
        .status()
        .nodes.map(({ name }) => name),
    ).to.deep.equal(['primary', 'replica2']);
  });

  it('says what is wrong with an entry, without its password', async () => {
    const app = await onOne();
    const host = '127.0.0.1';
    const wrong: [unknown, string][] = [
      [undefined, 'config must be an entry as in replication.read'],
      ['postgres://me:hunter2@there/db', 'got "postgres://me:***@there/db"'],
      [[], 'config must be an entry'],
      [{ password: 'hunter2' }, 'config names no node'],
      [{ host: 'postgres://me:hunter2@there/db' }, 'host must be a host name or an address'],
      [{ host: '' }, 'got ""'],
      [{ host, port: 'five' }, 'port must be a whole number from 1 to 65535, got "five"'],
      [{ host, port: 70_000 }, 'got 70000'],
      [{ host, name: '' }, 'name must be a text that is not empty, got ""'],
      [{ host, name: 7 }, 'got 7'],
      [{ host, weight: 0 }, 'weight must be a number above 0, got 0'],
      [{ host, pool: 5 }, 'pool must be an object such as { max: 20 }, got 5'],
      [{ host, pool: { maks: 5 } }, 'did you mean "max"?'],
      [{ host, pool: { max: 0 } }, 'pool.max must be a whole number from 1 up, got 0'],
      [{ host, pool: { min: 50 } }, 'pool.min must be at most pool.max (5), got 50'],
      [{ host, dialectOptions: 'ssl' }, 'dialectOptions must be an object, got "ssl"'],
      [{ host, name: 'primary' }, 'the name "primary" is taken, "primary" is the primary'],
      [{ host, name: 'replica1' }, '"replica1" is a replica in use'],
    ];
    for (const [config, message] of wrong) {
      let error: unknown;
      try {
        app.reads.addReplica(config as ReplicaConfig);
      } catch (thrown) {
        error = thrown;
      }
      expect(isOptionsError(error), message).to.equal(true);
      expect((error as Error).message)
        .to.include('addReplica(config)')
        .and.include(message);
      expect((error as Error).message).not.to.include('hunter2');
    }
    expect(names(app)).to.deep.equal(['primary', 'replica1']);
  });

  it('says why none can be taken out, or be changed at all', async () => {
    const app = await onOne();
    const observed = ground.app({ routing: 'observe' });
    const { write } = ground.cluster.sequelizeOptions().replication;
    const single = ground.app({}, { ...write, replication: undefined as never });
    const closed = ground.app();
    await closed.reads.close();
    const remove = (one: App, name: unknown) => one.reads.removeReplica(name as string);
    const wrong: [App, unknown, string][] = [
      [app, 'replica7', 'there is no replica "replica7"; the replicas in use are: "replica1".'],
      [app, undefined, 'there is no replica undefined'],
      [app, 'primary', "the primary takes the writes and can't be removed"],
      [observed, 'replica1', "with routing: 'observe' connections are made by Sequelize"],
      [single, 'replica1', 'this Sequelize instance has no `replication` option'],
      [closed, 'replica1', 'this handle is closed'],
    ];
    for (const [one, name, message] of wrong) {
      const error = await failure(remove(one, name));
      expect(isOptionsError(error)).to.equal(true);
      expect(error.message).to.include('removeReplica(name)').and.include(message);
      if (one !== app) expect(() => one.reads.addReplica(entries()[1]!)).to.throw(message);
    }
  });
});
