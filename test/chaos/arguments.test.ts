import { expect } from 'chai';
import { readArguments } from '../../chaos/arguments';

describe('the arguments of npm run chaos', () => {
  it('have defaults, and a new seed each time', () => {
    const { seed, ...others } = readArguments([]);
    expect(others).to.deep.equal({
      ...{ minutes: 1, replicas: 3, broken: undefined, mutants: undefined, stopAtFirst: false },
    });
    expect(readArguments([]).seed).to.not.equal(seed);
  });

  it('are read', () => {
    const given = '--minutes 0.5 --seed 7 --replicas 2 --break ignore-views --first'.split(' ');
    expect(readArguments(given)).to.deep.equal({
      ...{ minutes: 0.5, seed: 7, replicas: 2, broken: 'ignore-views', mutants: undefined },
      stopAtFirst: true,
    });
  });

  it('name the rules to go without', () => {
    expect(readArguments(['--mutants']).mutants).to.deep.equal([]);
    expect(readArguments(['--mutants', 'a,b', 'c']).mutants).to.deep.equal(['a', 'b', 'c']);
  });

  for (const [text, message] of [
    ['--minutes 0', '--minutes must be a number from 0.1 to 600, got "0"'],
    ['--minutes ten', '--minutes must be a number from 0.1 to 600, got "ten"'],
    ['--seed 1.5', '--seed must be a whole number from 0 to 4294967295, got "1.5"'],
    ['--replicas 9', '--replicas must be a whole number from 1 to 8, got "9"'],
    ['ignore-views', 'nothing is known of "ignore-views"; names belong to --mutants'],
    ['--loud', "Unknown option '--loud'"],
  ] as const) {
    it(`refuse ${text}`, () => {
      expect(() => readArguments(text.split(' '))).to.throw(message);
    });
  }
});
