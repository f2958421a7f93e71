import { expect } from 'chai';
import { TokenCodec } from '../../src/operation';
import { Ground } from '../faults/support';
import { SECRET, Site, until } from './support';
import { Sequelize } from 'sequelize';
import type { FreshReadsOptions } from '../../src';

/** On a cluster of its own: replicas lag, stop and are promoted. */
describe('a token and where replicas are', () => {
  let ground: Ground;
  const sites: Site[] = [];

  before(async () => {
    ground = await Ground.start();
    await ground.run('CREATE TABLE users (id serial)', 'CREATE TABLE posts (id serial)');
  });
  afterEach(async () => {
    await Promise.all(sites.splice(0).map(({ sequelize }) => sequelize.close()));
    for (const replica of ground.cluster.replicas) {
      if (replica.promoted) continue;
      await replica.start();
      await replica.setLag(0);
      await replica.resume();
    }
  });
  after(() => ground.stop());

  async function open(options: FreshReadsOptions = {}): Promise<Site> {
    const site = await Site.open({ connect: () => new Sequelize(ground.options()) }, options);
    sites.push(site);
    return site;
  }

  const read = new TokenCodec([SECRET]);

  /** A token that knows the place of its write in the log. */
  async function placed(site: Site): Promise<string> {
    return site.reads.runOperation({}, async () => {
      await site.insert('users');
      let token: string | undefined;
      await until(async () => {
        token = await site.reads.token();
        if (token !== undefined) return read.read(token)!.writes[0]!.position !== undefined;
        // The replicas were there before anybody looked.
        await site.insert('users');
        return false;
      });
      return token!;
    });
  }

  it('lets replicas serve as soon as they have come past it, and no sooner', async () => {
    const [one, two] = [await open(), await open()];
    for (const replica of ground.cluster.replicas) await replica.setLag(700);
    const token = await placed(one);
    const total = await one.count('users', { useMaster: true });
    await two.reads.runOperation({ token }, async () => {
      expect(await two.readsOf('users')).to.deep.equal(['primary table-written']);
      await until(async () => {
        expect(await two.count('users')).to.equal(total);
        return two.log.all.at(-1)!.target === 'replica';
      });
    });
    // Then there is nothing left to carry.
    await until(async () => (await two.passOn(token)) === undefined);
  });

  it('proves what has no place yet by a sample of the receiver', async () => {
    const [one, two] = [
      await open({ freshness: { mode: 'fixed', windowMs: 60_000 } }),
      await open(),
    ];
    const token = await one.tokenAfter('users');
    expect(read.read(token!)).to.include({ place: undefined });
    await two.reads.runOperation({ token }, async () => {
      const total = await two.count('users', { useMaster: true });
      await until(async () => {
        expect(await two.count('users')).to.equal(total);
        return two.log.all.at(-1)!.target === 'replica';
      });
    });
  });

  it('is kept as long as one replica has not come past it', async () => {
    const [one, two] = [await open(), await open()];
    await two.count('users');
    await ground.replica2.pause();
    const token = await placed(one);
    await one.reads.runOperation({ token }, async () => {
      await until(() => one.reads.token().then((again) => again !== undefined));
    });
    await two.reads.runOperation({ token }, async () => {
      const total = await one.count('users', { useMaster: true });
      for (let i = 0; i < 6; i++) expect(await two.count('users')).to.equal(total);
    });
  });

  it('holds for a measured window, and by heartbeats, which have no place in the log', async () => {
    for (const freshness of [
      { mode: 'measured', ceilingMs: 60_000, floorMs: 50_000 },
      { mode: 'proven', heartbeat: { table: 'beats' } },
    ] as const) {
      const [one, two] = [await open({ freshness }), await open({ freshness })];
      await ground.cluster.waitForReplicas();
      for (const replica of ground.cluster.replicas) await replica.pause();
      const token = await one.tokenAfter('users');
      expect(await two.readsWith(token, 'users', 'posts')).to.deep.equal([
        ...['primary table-written', 'replica tables-untouched'],
      ]);
      for (const replica of ground.cluster.replicas) await replica.resume();
    }
  });

  it('means everything after another node has become the primary', async () => {
    const one = await open();
    const token = await placed(one);
    await ground.cluster.waitForReplicas();
    await ground.replica1.promote();
    const { write, read: readers } = ground.cluster.sequelizeOptions().replication;
    const moved = {
      ...ground.options(),
      replication: { write: { ...write, port: ground.replica1.port }, read: readers.slice(1) },
    };
    const two = await Site.open({ connect: () => new Sequelize(moved) });
    sites.push(two);
    // It has to have met its primary to know.
    await two.insert('posts');
    await until(() =>
      two.reads.runOperation({ token }, async () => {
        await two.readsOf('users');
        return two.reads.status().tokens.widened > 0;
      }),
    );
    await two.reads.runOperation({ token }, () => {
      expect(two.reads.history().map(({ table }) => table)).to.deep.equal(['*']);
    });
  });
});
