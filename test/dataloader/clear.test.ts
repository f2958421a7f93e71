import { expect } from 'chai';
import { byKey, createLoaders, hasMany } from '../../src/dataloader';
import { Gate } from '../support/gate';
import { Post, User } from './town';
import { useTown } from './use-town';

/** Another process writes: no write of ours clears anything. */
describe('clear and clearAll of loaders', () => {
  const here = useTown();

  const loaders = () =>
    createLoaders(here.reads, {
      postsOfUser: hasMany(User.associations.posts),
      post: byKey(Post),
    });

  async function retitle(title: string) {
    await here.database.run(`UPDATE posts SET title = '${title}'`);
    await here.database.cluster.waitForReplicas();
  }

  const titleIn = async (row: Promise<Post | null>) => (await row)?.title;

  it('forget what other loaders have read, also before the first load', async () => {
    const { postsOfUser, post } = loaders();
    await here.reads.runOperation({}, async () => {
      await postsOfUser.load(1);
      await retitle('after clear');
      post.clear(1);
      expect(await titleIn(post.load(1))).to.equal('after clear');
      here.log.take();
      expect(await titleIn(post.load(2))).to.equal('a2');
      expect(here.log.take()).to.deep.equal([]);
    });
    await here.reads.runOperation({}, async () => {
      await postsOfUser.load(1);
      await retitle('after clearAll');
      post.clearAll();
      expect(await titleIn(post.load(1))).to.equal('after clearAll');
    });
  });

  it('forget what other loaders have in flight', async () => {
    const { postsOfUser, post } = loaders();
    const gates = [new Gate(), new Gate()] as const;
    Post.addHook('afterFind', (found: unknown) => {
      const ids = [found].flat().map((row) => (row as Post).id);
      return ids.includes(1) ? gates[0].pass() : ids.includes(3) ? gates[1].pass() : undefined;
    });
    await here.reads.runOperation({}, async () => {
      await post.load(4);
      for (const [index, forget] of [() => post.clear(1), () => post.clearAll()].entries()) {
        const gate = gates[index]!;
        const list = postsOfUser.load(index + 1);
        await gate.reached;
        await retitle(`while it was read ${index}`);
        forget();
        gate.open();
        await list;
        expect(await titleIn(post.load([1, 3][index]!))).to.equal(`while it was read ${index}`);
      }
    });
  });

  it('take what other loaders read later', async () => {
    const { postsOfUser, post } = loaders();
    await here.reads.runOperation({}, async () => {
      post.clear(1).clearAll();
      const [first] = await postsOfUser.load(1);
      expect(await post.load(first!.id)).to.equal(first);
    });
  });

  it('leave their own batch in flight to those who asked for it', async () => {
    const { post } = loaders();
    const gate = new Gate();
    Post.addHook('afterFind', gate.pass);
    await here.reads.runOperation({}, async () => {
      const before = titleIn(post.load(3));
      await gate.reached;
      await retitle('in flight');
      post.clear(3);
      const after = titleIn(post.load(3));
      gate.open();
      expect(await before).not.to.equal('in flight');
      expect(await after).to.equal('in flight');
      expect(await titleIn(post.load(3))).to.equal('in flight');
    });
  });

  it('let a value be primed afterwards, whenever it was read', async () => {
    const { post } = loaders();
    await here.reads.runOperation({}, async () => {
      const row = await post.load(3);
      post.clear(3).prime(3, row);
      expect(await post.load(3)).to.equal(row);
    });
  });
});
