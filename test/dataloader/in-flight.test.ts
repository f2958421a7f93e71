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
      // Nothing is known yet of what the batch will have read.
      await either.load(3);
      gate.open();
      expect(await before).not.to.equal('while it waited');
      expect(await either.load(1)).to.equal('while it waited');
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
