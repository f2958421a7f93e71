import { expect } from 'chai';
import { codecOf } from '../../src/dataloader/codec';

describe('long texts as keys', () => {
  const decimal = codecOf({ key: 'DECIMAL' });

  it('of a decimal are taken in a time that grows with their length, not its square', () => {
    const zeros = '0'.repeat(100_000);
    const started = performance.now();
    expect(decimal.encode(`0.${zeros}1`)).to.equal(`0.${zeros}1`);
    expect(decimal.encode(`0.${zeros}1${zeros}`)).to.equal(`0.${zeros}1`);
    expect(decimal.encode(`1.${zeros}`)).to.equal('1');
    expect(performance.now() - started).to.be.below(2000);
  });

  it('of a whole number are refused by their length, unless it is made of zeros', () => {
    const whole = codecOf({ key: 'BIGINT' });
    const started = performance.now();
    expect(whole.encode('9'.repeat(8_000_000))).to.equal(undefined);
    expect(whole.encode(`-${'0'.repeat(8_000_000)}7`)).to.equal('-7');
    expect(performance.now() - started).to.be.below(2000);
  });
});
