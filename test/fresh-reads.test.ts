import { expect } from 'chai';
import { Sequelize } from 'sequelize';
import { freshReads, isOptionsError, type FreshReadsOptions } from '../src';

describe('freshReads()', () => {
  let sequelize: Sequelize;
  beforeEach(() => {
    const read = [{ host: '127.0.0.1', port: 1 }];
    sequelize = new Sequelize({
      dialect: 'postgres',
      logging: false,
      replication: { write: { host: '127.0.0.1', port: 1 }, read },
    });
  });
  afterEach(() => sequelize.close());

  describe('warns of a sessionSecret that does not do what it is there for', () => {
    const logged: string[] = [];
    const warningsOf = (options: FreshReadsOptions): readonly string[] => {
      logged.length = 0;
      const logger = { warn: (message: string) => void logged.push(message) };
      return freshReads(sequelize, { ...options, logger }).status().warnings;
    };

    it('one that is given but undefined', () => {
      const warning =
        'sessionSecret is given, but undefined: is an environment variable not set? There are no ' +
        "session tokens, so a client's next request may miss what this one writes. " +
        'Set it to a long random string, or leave the option out.';
      expect(warningsOf({ sessionSecret: undefined })).to.deep.equal([warning]);
      expect(logged).to.deep.equal([`sequelize-fresh-reads: ${warning}`]);
    });

    it('one that is soon guessed, without showing it', () => {
      const warning =
        'sessionSecret has fewer than 16 characters: who guesses it can forge session tokens. ' +
        'Give a long random string, such as `openssl rand -base64 32` prints.';
      expect(warningsOf({ sessionSecret: 'hush' })).to.deep.equal([warning]);
    });

    it('also where it is an older one', () => {
      const [warning] = warningsOf({ sessionSecret: ['a'.repeat(16), 'hush'] });
      expect(warning).to.match(/^sessionSecret has fewer than 16 characters/);
      expect(warning).not.to.contain('hush');
    });

    it('and of no other', () => {
      expect(warningsOf({ sessionSecret: ['a'.repeat(16), 'b'.repeat(16)] })).to.deep.equal([]);
    });

    it('nor where it is left out', () => {
      expect(warningsOf({})).to.deep.equal([]);
    });
  });

  it('says which options differ from those of the first call, without a value of theirs', () => {
    freshReads(sequelize, { sessionSecret: 'the secret of the first call', rawReads: 'primary' });
    expect(() => freshReads(sequelize, { sessionSecret: 'another secret of the second call' }))
      .to.throw(
        'freshReads(sequelize, options): this instance already has a handle with other options: ' +
          'rawReads and sessionSecret differ. ' +
          'Call it once, or with the same options, or close() the first handle.',
      )
      .that.satisfies(isOptionsError);
  });
});
