import { expect } from 'chai';
import { batch, byKey, createLoaders } from '../../src/dataloader';
import { Gate } from '../support/gate';
import { Post, User } from './town';
import { useTown } from './use-town';

describe('batches in flight across a write, on paused replicas', () => {
  const here = useTown();

  beforeEach(() => here.database.pauseReplicas());

  afterEach(() => here.database.resumeReplicas());

  const rename = (id: number, name: string) => User.update({ name }, { where: { id } });

  it('never answers a later load from a batch in flight across a write', async () => {
    const { user } = createLoaders(here.reads, { user: byKey(User) });
    await here.reads.runOperation({}, async () => {
      const gate = new Gate();
      User.addHook('afterFind', 'gate', gate.pass);
      const before = user.load(1);
      await gate.reached;
      await rename(1, 'later');
      const after = user.load(1);
      gate.open();
      User.removeHook('afterFind', 'gate');
      expect(await before).not.to.have.property('name', 'later');
      expect(await after).to.have.property('name', 'later');
      expect(await user.load(1)).to.have.property('name', 'later');
    });
  });

  it('never keeps what a batch read that was decided before a write and sent after it', async () => {
    const { either } = createLoaders(here.reads, {
      either: batch<number, string | null | undefined>({
        reads: ['posts'],
        // What it declares is not all that it reads.
        load: async (ids) => {
          const rows = ids.includes(1) ? await User.findAll() : await Post.findAll();
          return ids.map((id) => (rows.find((row) => row.id === id) as User | undefined)?.name);
        },
      }),
    });
    await here.reads.runOperation({}, async () => {
      await either.load(4);
      const gate = new Gate();
      here.sequelize.addHook('beforePoolAcquire', gate.pass);
      const before = either.load(1);
      await gate.reached;
      await rename(1, 'while it waited');
      const after = either.load(1);
      gate.open();
      expect(await before).not.to.equal('while it waited');
      expect(await after).to.equal('while it waited');
      expect(await either.load(1)).to.equal('while it waited');
    });
  });

  it('never answers a later load from a separate include decided before the write', async () => {
    const { user } = createLoaders(here.reads, {
      user: byKey(User, undefined, { include: [{ association: 'posts', separate: true }] }),
    });
    const titles = async (row: Promise<unknown>) =>
      ((await row) as { posts: Post[] }).posts.map(({ title }) => title);
    await here.reads.runOperation({}, async () => {
      // Of this batch the lane learns of users alone.
      await user.load(999);
      const gate = new Gate();
      here.sequelize.addHook('beforePoolAcquire', (options) =>
        (options as { model?: unknown }).model === Post ? gate.pass() : undefined,
      );
      const before = titles(user.load(1));
      await gate.reached;
      await Post.create({ title: 'while it waited', authorId: 1 });
      const after = titles(user.load(1));
      gate.open();
      expect(await before).not.to.include('while it waited');
      expect(await after).to.include('while it waited');
    });
  });

  it('never answers a later load from a read-only transaction begun before the write', async () => {
    const { count } = createLoaders(here.reads, {
      count: batch<number, number>({
        reads: [User],
        load: async (ids) =>
          here.sequelize.transaction({ readOnly: true }, async (transaction) => {
            const total = await Post.count({ transaction });
            return ids.map(() => total);
          }),
      }),
    });
    await here.reads.runOperation({}, async () => {
      const gate = new Gate();
      here.sequelize.addHook('beforePoolAcquire', (options) =>
        (options as { uuid?: unknown }).uuid === undefined ? undefined : gate.pass(),
      );
      const before = count.load(1);
      await gate.reached;
      await Post.create({ title: 'while it began', authorId: 1 });
      const after = count.load(1);
      gate.open();
      expect(await after).to.equal((await before) + 1);
    });
  });

  it('decides a batch when it is sent, not when its keys were asked for', async () => {
    const { user } = createLoaders(here.reads, { user: byKey(User) });
    await here.reads.runOperation({}, async () => {
      const load = user.load(1);
      here.reads.markWritten(['users']);
      await load;
    });
    expect(here.log.take()).to.deep.equal(['primary table-written users']);
  });
});
