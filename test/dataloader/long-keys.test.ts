import { expect } from 'chai';
import { codecOf } from '../../src/dataloader/codec';

describe('long texts as keys', () => {
  const decimal = codecOf({ key: 'DECIMAL' });

  it('of a decimal are taken in a time that grows with their length, not its square', () => {
    // In a time that grows with the square these would take minutes: longer than a test may.
    const zeros = '0'.repeat(300_000);
    expect(decimal.encode(`0.${zeros}1`)).to.equal(`0.${zeros}1`);
    expect(decimal.encode(`0.${zeros}1${zeros}`)).to.equal(`0.${zeros}1`);
    expect(decimal.encode(`1.${zeros}`)).to.equal('1');
  });

  it('of a whole number are refused beyond what a column holds; zeros before it do not count', () => {
    const whole = codecOf({ key: 'BIGINT' });
    expect(whole.encode('9'.repeat(1_000_000))).to.equal(undefined);
    expect(whole.encode(`-${'0'.repeat(1_000_000)}7`)).to.equal('-7');
  });
});
