import { expect } from 'chai';
import { Random } from '../../chaos/random';

const drawn = (random: Random) => Array.from({ length: 20 }, () => random.next());

describe('the random numbers of chaos runs', () => {
  it('are the same for the same seed and part, and others for others', () => {
    expect(drawn(Random.of(1, 'client', 2))).to.deep.equal(drawn(Random.of(1, 'client', 2)));
    expect(drawn(Random.of(1, 'client', 2))).to.not.deep.equal(drawn(Random.of(1, 'client', 3)));
    expect(drawn(Random.of(1, 'client', 2))).to.not.deep.equal(drawn(Random.of(2, 'client', 2)));
  });

  it('reach both ends of a range, and nothing beyond', () => {
    const random = new Random(5);
    const numbers = new Set(Array.from({ length: 500 }, () => random.between(3, 6)));
    expect([...numbers].sort()).to.deep.equal([3, 4, 5, 6]);
  });

  it('choose by weight, and never what weighs nothing', () => {
    const random = new Random(5);
    const picks = Array.from({ length: 1000 }, () =>
      random.weighted([
        [3, 'often'],
        [1, 'seldom'],
        [0, 'never'],
      ]),
    );
    const count = (what: string) => picks.filter((pick) => pick === what).length;
    expect(count('often')).to.be.within(680, 820);
    expect(count('seldom')).to.equal(1000 - count('often'));
  });

  it('sample without taking anything twice', () => {
    const random = new Random(5);
    expect(random.sample([1, 2, 3], 5).sort()).to.deep.equal([1, 2, 3]);
    expect(random.sample([1, 2, 3], 2)).to.have.lengthOf(2);
  });

  it('have nothing to pick from an empty list', () => {
    expect(() => new Random(5).pick([])).to.throw('there is nothing to pick from');
  });
});
