import { expect } from 'chai';
import { Sequelize } from 'sequelize';
import { echo } from '../src/errors';

class Account {
  readonly password = 'hunter2';
}

class Odd {
  readonly own = 1;
  static name = () => 'hunter2';
}

describe('a value in an error message', () => {
  const circular: Record<string, unknown> = { a: 1 };
  circular['self'] = circular;
  const unreadable = {
    get broken(): never {
      throw new Error('no');
    },
  };
  const shown: [unknown, string][] = [
    ['text', '"text"'],
    ['a "quoted"\nword', String.raw`"a \"quoted\"\nword"`],
    [5, '5'],
    [5n, '5n'],
    [NaN, 'NaN'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Symbol('s'), 'Symbol(s)'],
    [new Date(0), 'Date 1970-01-01T00:00:00.000Z'],
    [new Date(NaN), 'Invalid Date'],
    [echo, 'function echo'],
    [Account, 'class Account'],
    [Odd, 'class (anonymous)'],
    [() => undefined, 'function (anonymous)'],
    [new Account(), 'an instance of Account'],
    [new Map([[1, 2]]), 'an instance of Map'],
    [new Error('hunter2'), 'an instance of Error'],
    [Promise.resolve(), 'an instance of Promise'],
    [
      new (class {
        readonly own = 1;
      })(),
      'an instance of a class without a name',
    ],
    [[], '[]'],
    [['users', 2, {}, [1]], '["users", 2, {}, […]]'],
    [{}, '{}'],
    [Object.create(null), '{}'],
    [{ max: 5, flag: true, none: null }, '{ max: 5, flag: true, none: null }'],
    [{ 'a-b': undefined, list: [1] }, '{ "a-b": undefined, list: […] }'],
    [circular, '{ a: 1, self: {…} }'],
    [unreadable, 'an object'],
  ];
  for (const [value, text] of shown) {
    it(`is shown as ${text}`, () => {
      expect(echo(value)).to.equal(text);
    });
  }

  it('is short', () => {
    const long = 'x'.repeat(5000);
    for (const value of [long, { [long]: 1 }, Array.from({ length: 5000 }, () => long)]) {
      expect(echo(value).length).to.be.below(130);
    }
  });

  it('names an instance of Sequelize', async () => {
    const sequelize = new Sequelize('postgres://me:hunter2@127.0.0.1:1/none');
    expect(echo(sequelize)).to.equal('an instance of Sequelize');
    await sequelize.close();
  });

  it('shows nothing that may be secret', () => {
    const secrets: unknown[] = [
      { password: 'hunter2' },
      { anything: 'hunter2' },
      { deep: { anything: ['hunter2'] } },
      { account: new Account() },
      [{ password: 'hunter2' }],
      [['hunter2']],
      'postgres://me:hunter2@there/db',
      'postgres://me:hunt:hunter2@there/db',
      ['postgres://me:hunter2@there/db'],
      'postgres://there/db?user=me&password=hunter2&x=1',
    ];
    for (const secret of secrets) expect(echo(secret)).not.to.contain('hunter2');
    expect(echo('postgres://me:hunter2@there/db')).to.equal('"postgres://me:***@there/db"');
    expect(echo({ password: 'hunter2' })).to.equal('{ password: … }');
  });

  it('is shown as quickly when it is long and of nothing but colons', () => {
    // In a time that grows with the square this would take minutes: longer than a test may.
    expect(echo(':'.repeat(400_000))).to.equal(`"${':'.repeat(117)}..."`);
  });
});
