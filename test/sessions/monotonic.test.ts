import { expect } from 'chai';
import type { FreshReadsOptions } from '../../src';
import { TokenCodec, logicalTime } from '../../src/operation';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { SECRET, Site, until } from './support';

/** One replica stands still, the other one follows: who reads from both in turn goes back in time. */
describe('monotonic reads', () => {
  let database: TestDatabase;
  let site: Site;

  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial)',
      'CREATE TABLE posts (id serial)',
    );
  });
  beforeEach(async () => {
    await database.resumeReplicas();
    await database.cluster.replicas[0]!.pause();
  });
  afterEach(() => site.sequelize.close());
  after(() => database.close());

  async function open(options: FreshReadsOptions = {}): Promise<Site> {
    site = await Site.open(database, { monotonicReads: true, ...options });
    return site;
  }

  /** Written by somebody else; on the second replica at once, on the first one never. */
  async function written(): Promise<void> {
    await database.run('INSERT INTO users DEFAULT VALUES');
    await database.cluster.waitForReplicas();
  }

  function nodes(): string[] {
    return site.log.all.splice(0).map(({ node }) => node);
  }

  /** Reads in a fresh operation until the node asked for answers one. */
  function session<T>(node: string, fn: () => Promise<T>): Promise<T> {
    const attempt = async (): Promise<T> => {
      let found: { result: T } | undefined;
      await until(() =>
        site.reads.runOperation({ kind: 'query' }, async () => {
          await site.count('users');
          if (site.log.all.at(-1)!.node !== node) return false;
          site.log.take();
          found = { result: await fn() };
          return true;
        }),
      );
      return found!.result;
    };
    return attempt();
  }

  it('never go back within an operation, while replicas are used', async () => {
    await open();
    await written();
    await session('replica2', async () => {
      const first = await site.count('users');
      for (let i = 0; i < 20; i++) {
        const counts = await Promise.all([site.count('users'), site.count('users')]);
        expect(Math.min(...counts)).to.be.at.least(first);
        await site.count('posts');
      }
      expect(nodes()).to.include('replica2').and.not.to.include('replica1');
    });
  });

  it('would go back without the option, at no cost', async () => {
    await open({ monotonicReads: false });
    await written();
    await session('replica2', async () => {
      for (let i = 0; i < 20; i++) await Promise.all([site.count('users'), site.count('users')]);
      expect(nodes()).to.include.members(['replica1', 'replica2']);
    });
    // Nothing is noted, so nothing has to be found out.
    const before = logicalTime();
    await site.reads.runOperation({}, () => site.count('users'));
    expect(logicalTime()).to.equal(before);
  });

  it('stay with the node that was read last, also with one that lags', async () => {
    await open();
    await session('replica1', async () => {
      for (let i = 0; i < 5; i++) await site.count('users');
      expect(nodes()).to.deep.equal(Array(5).fill('replica1'));
    });
  });

  it('go on from what was read on the primary', async () => {
    await open();
    await written();
    await session('replica1', async () => {
      const most = await site.count('users', { freshness: 'primary' });
      for (let i = 0; i < 10; i++) expect(await site.count('users')).to.be.at.least(most);
      await until(async () => {
        expect(await site.count('users')).to.be.at.least(most);
        return site.log.all.at(-1)!.node === 'replica2';
      });
      expect(nodes()).not.to.include('replica1');
    });
  });

  it('count what was read in a transaction and returned by a write', async () => {
    await open();
    await written();
    for (const read of [
      () => site.sequelize.transaction((transaction) => site.count('users', { transaction })),
      () => site.sequelize.query('UPDATE users SET id = id RETURNING id'),
    ]) {
      await session('replica1', async () => {
        await read();
        await site.count('posts');
        expect(nodes()).not.to.include('replica1');
      });
    }
  });

  it('do not go back to a node that was asked for in spite of what it lags behind', async () => {
    await open();
    await written();
    await site.reads.runOperation({}, async () => {
      const most = await site.count('users', { freshness: 'primary' });
      await until(async () => {
        const count = await site.count('users', { freshness: 'replica' });
        expect(await site.count('users')).to.be.at.least(most);
        return count < most;
      });
      expect(await site.count('users')).to.be.at.least(most);
    });
  });

  it('of parallel reads show no more than both of their nodes', async () => {
    await open();
    await written();
    await until(() =>
      site.reads.runOperation({}, async () => {
        site.log.take();
        const counts = await Promise.all([site.count('users'), site.count('users')]);
        const mixed = new Set(nodes()).size > 1;
        for (let i = 0; i < 4; i++) {
          expect(await site.count('users')).to.be.at.least(Math.max(...counts));
        }
        return mixed;
      }),
    );
  });

  it('are carried to other processes by the token', async () => {
    await open();
    await written();
    const other = await Site.open(database, { monotonicReads: true });
    const { most, token } = await session('replica2', async () => ({
      most: await site.count('users'),
      token: await site.reads.token(),
    }));
    const { seen } = new TokenCodec([SECRET]).read(token!)!;
    expect(seen).to.be.a('bigint');
    for (let i = 0; i < 10; i++) {
      await other.reads.runOperation({ token }, async () => {
        expect(await other.count('users')).to.be.at.least(most);
      });
    }
    await until(() =>
      other.reads.runOperation({ token }, async () => {
        expect(await other.count('users')).to.be.at.least(most);
        return other.log.all.at(-1)!.node === 'replica2';
      }),
    );
    // Passed on by a process that read nothing, and together with what was read elsewhere.
    const passed = await other.passOn(token);
    await site.readsWith([passed!, token!], 'users');
    expect(site.log.all.at(-1)!.node).not.to.equal('replica1');
  });

  it('are not taken back by a token that comes in the middle', async () => {
    await open();
    const token = await session('replica2', () => site.reads.token());
    await written();
    await site.reads.runOperation({}, async () => {
      const most = await site.count('users', { freshness: 'primary' });
      await site.reads.runOperation({ token }, async () => {
        for (let i = 0; i < 6; i++) expect(await site.count('users')).to.be.at.least(most);
      });
    });
  });

  it('are over when every replica shows them: then there is no token', async () => {
    await open();
    await database.resumeReplicas();
    await site.reads.runOperation({}, async () => {
      await site.count('users');
      await until(async () => (await site.reads.token()) === undefined);
    });
  });

  it('hold within a fixed window, by keeping to one node', async () => {
    await open({ freshness: { mode: 'fixed', windowMs: 60_000 } });
    await written();
    await session('replica2', async () => {
      const most = await site.count('users');
      for (let i = 0; i < 10; i++) expect(await site.count('users')).to.be.at.least(most);
      const token = await site.reads.token();
      await site.readsWith(token, 'users');
      expect(nodes().filter((node) => node === 'replica1')).to.deep.equal([]);
    });
  });

  it('hold for a read-only transaction, which is one read', async () => {
    await open();
    await written();
    await session('replica1', async () => {
      const most = await site.count('users', { freshness: 'primary' });
      const count = await site.sequelize.transaction({ readOnly: true } as object, (transaction) =>
        site.count('users', { transaction }),
      );
      expect(count).to.be.at.least(most);
    });
  });
});
