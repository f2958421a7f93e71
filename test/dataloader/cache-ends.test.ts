import { expect } from 'chai';
import { freshReads } from '../../src';
import { byKey, createLoaders } from '../../src/dataloader';
import { Gate } from '../support/gate';
import { User } from './town';
import { useTown } from './use-town';

describe('loaders where no cache is kept any more', () => {
  const here = useTown();

  const rename = (id: number, name: string) => User.update({ name }, { where: { id } });

  it('read anew each time in what an operation left running', async () => {
    const { user } = createLoaders(here.reads, { user: byKey(User) });
    const gate = new Gate();
    let left: Promise<void> | undefined;
    await here.reads.runOperation({}, async () => {
      await user.load(1);
      left = gate.pass().then(async () => {
        const again = (id: number) => user.load(id).then((row) => row?.name);
        expect(await Promise.all([again(1), again(2)])).to.deep.equal(['by another', 'bob']);
        await here.database.run(`UPDATE users SET name = 'once more' WHERE id IN (1, 2)`);
        await here.database.cluster.waitForReplicas();
        expect(await Promise.all([again(1), again(2)])).to.deep.equal(['once more', 'once more']);
      });
    });
    await here.database.run(`UPDATE users SET name = 'by another' WHERE id = 1`);
    await here.database.cluster.waitForReplicas();
    here.log.take();
    gate.open();
    await left;
    expect(here.log.take()).to.have.length(2);
  });

  it('still count the writes of that operation there', async () => {
    const { user } = createLoaders(here.reads, { user: byKey(User) });
    const gate = new Gate();
    let left: Promise<void> | undefined;
    await here.reads.runOperation({}, async () => {
      left = gate.pass().then(async () => {
        await rename(3, 'left behind');
        expect(await user.load(3)).to.have.property('name', 'left behind');
      });
    });
    await here.database.pauseReplicas();
    gate.open();
    await left;
    await here.database.resumeReplicas();
  });

  it('read anew each time once their handle is closed', async () => {
    const { user } = createLoaders(here.reads, { user: byKey(User) });
    const nameOf = async (id: number) => (await user.load(id))?.name;
    await here.reads.runOperation({}, async () => {
      await user.load(1);
      await here.reads.close();
      await rename(1, 'after the close');
      await here.database.cluster.waitForReplicas();
      expect(await nameOf(1)).to.equal('after the close');
      await freshReads(here.sequelize).ready();
      await rename(1, 'after the next');
      expect(await nameOf(1)).to.equal('after the next');
    });
  });
});
