import { expect } from 'chai';
import { Choice, type Candidate } from '../../src/replicas/choice';

const node = (name: string, change: Partial<Candidate> = {}): Candidate => ({
  name,
  weight: 1,
  load: 0,
  inQuestion: false,
  ...change,
});

describe('choice among replicas', () => {
  function picks(choice: Choice, count: number, ...candidates: Candidate[]): string {
    const pick = () =>
      choice.pick(
        candidates.map(({ name }) => name),
        (name) => candidates.find((candidate) => candidate.name === name),
      );
    return Array.from({ length: count }, () => pick()?.name).join(' ');
  }

  it('takes the least loaded', () => {
    expect(picks(new Choice(), 3, node('a', { load: 2 }), node('b', { load: 1 }))).to.equal(
      'b b b',
    );
  });

  it('measures load by weight', () => {
    const heavy = node('a', { load: 2, weight: 3 });
    expect(picks(new Choice(), 1, heavy, node('b', { load: 1 }))).to.equal('a');
  });

  it('goes round between equals, each as often as its weight says', () => {
    expect(picks(new Choice(), 6, node('a'), node('b'), node('c'))).to.equal('a b c a b c');
    const counts = picks(new Choice(), 30, node('a', { weight: 2 }), node('b'));
    expect(counts.match(/a/g)).to.have.length(20);
  });

  it('gives a node that was away no more than its share when it is back', () => {
    const choice = new Choice();
    picks(choice, 10, node('a'));
    expect(picks(choice, 4, node('a'), node('b')).match(/b/g)).to.have.length(2);
  });

  it('leaves a node in question for last', () => {
    const doubtful = node('a', { inQuestion: true });
    expect(picks(new Choice(), 1, doubtful, node('b', { load: 9 }))).to.equal('b');
    const alone = picks(new Choice(), 1, doubtful);
    expect(alone).to.equal('a');
  });

  it('has nothing to pick from nothing', () => {
    expect(picks(new Choice(), 1)).to.equal('');
    expect(new Choice().pick(['gone'], () => undefined)).to.equal(undefined);
  });
});
