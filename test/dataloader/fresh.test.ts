import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Sequelize, Transaction } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { belongsTo, byKey, createLoaders, hasMany } from '../../src/dataloader';
import { runInFrame } from '../../src/operation';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { Post, TABLES, User, town } from './town';

const PRIMARY = { read: 'primary', maxLagMs: undefined } as const;
const LONG_WINDOW = { freshness: { mode: 'fixed', windowMs: 60_000 } } as const;

describe('loaders on paused replicas', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let log: DecisionLog;

  before(async () => {
    database = await createDatabase(...TABLES);
  });

  beforeEach(async () => {
    sequelize = database.connect();
    town(sequelize);
    reads = freshReads(sequelize, LONG_WINDOW);
    await reads.ready();
    await database.pauseReplicas();
    log = new DecisionLog(reads);
  });

  afterEach(async () => {
    await sequelize.close();
    await database.resumeReplicas();
  });

  after(() => database.close());

  function make() {
    return createLoaders(reads, {
      user: byKey(User),
      postsOfUser: hasMany(User.associations.posts, { order: ['id'] }),
      author: belongsTo(Post.associations.author),
    });
  }

  const rename = (id: number, name: string) => User.update({ name }, { where: { id } });

  it('shows a write of the same operation to every later load, with nothing cleared by hand', async () => {
    const { user, postsOfUser, author } = make();
    await reads.runOperation({ kind: 'mutation' }, async () => {
      await user.load(1);
      await author.load(1);
      await postsOfUser.load(1);
      await rename(1, 'anna');
      await Post.create({ title: 'fresh', authorId: 1 });
      expect(await user.load(1)).to.have.property('name', 'anna');
      expect(await author.load(1)).to.have.property('name', 'anna');
      expect((await postsOfUser.load(1)).at(-1)).to.have.property('title', 'fresh');
    });
    expect(log.take().filter((line) => !line.includes('not-a-read'))).to.deep.equal([
      'replica no-live-writes users',
      'replica no-live-writes posts',
      'primary table-written users',
      'primary table-written posts',
    ]);
  });

  it('keeps what was cached of tables that nobody wrote', async () => {
    const { user, postsOfUser } = make();
    await reads.runOperation({}, async () => {
      const [posts] = await Promise.all([postsOfUser.load(2), user.load(1)]);
      await rename(1, 'anne');
      log.take();
      expect(await postsOfUser.load(2)).to.equal(posts);
      expect(log.take()).to.deep.equal([]);
      await postsOfUser.load(3);
      expect(log.take()).to.deep.equal(['replica tables-untouched posts']);
    });
  });

  it('keeps the cache of an operation when another one writes', async () => {
    const { user } = make();
    let seen: User | null = null;
    let resume!: () => void;
    const paused = new Promise<void>((resolve) => (resume = resolve));
    const reader = reads.runOperation({}, async () => {
      seen = await user.load(2);
      await paused;
      return user.load(2);
    });
    await reads.runOperation({}, () => rename(2, 'robert'));
    resume();
    expect(await reader).to.equal(seen);
  });

  it('is cleared by a write outside any operation, which may be its own', async () => {
    const { user } = make();
    let resume!: () => void;
    const paused = new Promise<void>((resolve) => (resume = resolve));
    const reader = reads.runOperation({}, async () => {
      await user.load(3);
      await paused;
      return user.load(3);
    });
    await rename(3, 'cyril');
    resume();
    expect(await reader).to.have.property('name', 'cyril');
  });

  it('is cleared when a write is marked, and again when it is committed', async () => {
    const { user } = make();
    await reads.runOperation({}, async () => {
      const before = await user.load(3);
      const transaction = await sequelize.transaction();
      await User.update({ name: 'late' }, { where: { id: 3 }, transaction });
      const marked = await user.load(3);
      expect(marked).not.to.equal(before);
      expect(marked).not.to.have.property('name', 'late');
      await transaction.commit();
      expect(await user.load(3)).to.have.property('name', 'late');
    });
  });

  it('is cleared by a rollback too', async () => {
    const { user } = make();
    await reads.runOperation({}, async () => {
      const transaction = await sequelize.transaction();
      await User.update({ name: 'never' }, { where: { id: 3 }, transaction });
      const during = await user.load(3);
      await transaction.rollback();
      expect(await user.load(3)).not.to.equal(during);
    });
  });

  it('refuses to be primed with what it read before a write', async () => {
    const { user } = make();
    await reads.runOperation({}, async () => {
      const old = await user.load(1);
      await rename(1, 'primed');
      expect(await user.prime(1, old).load(1)).to.have.property('name', 'primed');
    });
  });

  it('gives who asked for the primary nothing that a replica said, and the other way round', async () => {
    const { user } = make();
    await reads.runOperation({}, () => rename(2, 'only on the primary'));
    await reads.runOperation({}, async () => {
      expect(await user.load(2)).not.to.have.property('name', 'only on the primary');
      const asked = await reads.usePrimary(() => user.load(2));
      expect(asked).to.have.property('name', 'only on the primary');
      await reads.useReplica(() => user.load(2));
    });
    expect(log.take().slice(1)).to.deep.equal([
      'replica no-live-writes users',
      'primary asked-primary users',
      'replica asked-replica users',
    ]);
  });

  it('keeps loads apart that take turns in one tick', async () => {
    const { user } = make();
    const open = () => reads.runOperation({}, () => Promise.resolve(AsyncLocalStorage.snapshot()));
    const [wrote, other] = [await open(), await open()];
    await wrote(() => rename(2, 'seen by its writer'));
    log.take();
    const load = (operation: typeof wrote, id: number) => operation(() => user.load(id));
    const names = await Promise.all(
      [1, 2].flatMap((id) => [
        load(wrote, id),
        load(other, id),
        other(() => runInFrame({ freshness: PRIMARY }, () => user.load(id))),
        other(() => reads.usePrimary(() => user.load(id))),
        reads.usePrimary(() => user.load(id)),
        user.load(id),
      ]),
    ).then((rows) => rows.map((row) => row?.name));
    expect(names.slice(6).map((name) => name === 'seen by its writer')).to.deep.equal([
      true,
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(log.take().sort()).to.deep.equal([
      'primary asked-primary users',
      'primary asked-primary users',
      'primary asked-primary users',
      'primary table-written users',
      'primary table-written users',
      'replica no-live-writes users',
    ]);
  });

  it('reads like anything else outside an operation: by the history of the process', async () => {
    const { user } = make();
    await reads.runOperation({}, () => rename(1, 'outside'));
    expect(await user.load(1)).to.have.property('name', 'outside');
  });

  it('never answers with less than what its operation has been told is written', async () => {
    const step = fc.record({
      act: fc.constantFrom(
        'load',
        'load',
        'list',
        'author',
        'write',
        'writeInTransaction',
        'primary',
      ),
      id: fc.integer({ min: 1, max: 3 }),
      wait: fc.boolean(),
    });
    const { user, postsOfUser, author } = make();
    let version = 1000;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        await reads.runOperation({}, async () => {
          const told = new Map<number, number>();
          const running: Promise<unknown>[] = [];
          const check = async (id: number, load: () => Promise<string | null | undefined>) => {
            const least = told.get(id) ?? 0;
            const seen = Number((await load()) ?? 0) || 0;
            expect(seen).to.be.at.least(least);
          };
          const write = async (id: number, transaction?: Transaction) => {
            const now = ++version;
            await Promise.all([
              User.update({ name: String(now) }, { where: { id }, transaction }),
              Post.update({ title: String(now) }, { where: { authorId: id }, transaction }),
            ]);
            return now;
          };
          const acts: Record<string, (id: number) => Promise<unknown>> = {
            load: (id) => check(id, async () => (await user.load(id))?.name),
            author: (id) => check(id, async () => (await author.load(id))?.name),
            list: (id) =>
              check(id, async () => {
                const [post] = await postsOfUser.load(id);
                return post ? post.title : String(version);
              }),
            primary: (id) =>
              check(id, async () => (await reads.usePrimary(() => user.load(id)))?.name),
            write: async (id) => told.set(id, await write(id)),
            writeInTransaction: async (id) => {
              const transaction = await sequelize.transaction();
              const now = await write(id, transaction);
              await transaction.commit();
              told.set(id, now);
            },
          };
          for (const { act, id, wait } of steps) {
            // Two writers of one row at once would wait for each other's locks.
            const done = acts[act]!(id);
            if (wait || act.startsWith('write')) await done;
            else running.push(done);
          }
          await Promise.all(running);
        });
      }),
      { numRuns: 40 },
    );
  });
});
