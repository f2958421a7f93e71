import { expect } from 'chai';
import { MUTANTS } from '../../chaos/mutants';
import { mutantCalled, patchedSources } from '../../chaos/mutate';

describe('the rules that chaos runs are tested without', () => {
  for (const mutant of MUTANTS) {
    it(`${mutant.name}: ${mutant.without}`, async () => {
      const texts = await patchedSources(mutant);
      expect([...texts.keys()]).to.have.members([
        ...new Set(mutant.patches.map(({ file }) => file)),
      ]);
    });
  }

  it('are told apart by their names', () => {
    const names = MUTANTS.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(() => mutantCalled('gravity')).to.throw(
      'there is no rule "gravity" to break; there are: ',
    );
  });

  it('fail when the source has changed under a patch', async () => {
    const patch = { file: 'index.ts', find: 'no such text', replace: '' };
    const patches = patchedSources({ name: 'rotten', without: 'nothing', patches: [patch] });
    const error: unknown = await patches.catch((reason: unknown) => reason);
    expect((error as Error).message).to.equal(
      'rotten: "no such text" is nowhere in src/index.ts; the patch in chaos/mutants.ts has to follow the source',
    );
  });
});
