import { expect } from 'chai';
import { isOptionsError } from '../src';
import { resolveOptions } from '../src/options';

describe('options', () => {
  it('have a default each', () => {
    expect(resolveOptions(undefined)).to.deep.equal({
      freshness: { mode: 'fixed', windowMs: 1000 },
      outsideOperation: 'process-history',
      mutationReads: 'track',
      ignoreWrites: [],
      relatedTables: {},
      rawReads: 'route',
      routing: 'enforce',
      logger: undefined,
    });
  });

  const refused: [unknown, string][] = [
    [null, 'freshReads(sequelize, options): options must be an object, got null.'],
    [[], 'freshReads(sequelize, options): options must be an object, got [].'],
    [{ freshnes: {} }, 'freshReads: unknown option "freshnes"; did you mean "freshness"?'],
    [
      { xyz: 1 },
      'freshReads: unknown option "xyz"; the options are freshness, outsideOperation, mutationReads, ' +
        'ignoreWrites, relatedTables, rawReads, routing, logger.',
    ],
    [
      { freshness: 1000 },
      "freshness must be an object such as { mode: 'fixed', windowMs: 1000 }, got 1000.",
    ],
    [{ freshness: { mode: 'fixd' } }, `freshness.mode must be 'fixed', got "fixd".`],
    [
      { freshness: { mode: 'fixed', window: 5 } },
      'freshness: unknown option "window"; did you mean "windowMs"?',
    ],
    [
      { freshness: { mode: 'fixed', windowMs: '5' } },
      'freshness.windowMs must be a number of milliseconds, zero or more, got "5".',
    ],
    [
      { freshness: { mode: 'fixed', windowMs: Infinity } },
      'freshness.windowMs must be a number of milliseconds, zero or more, got Infinity.',
    ],
    [
      { outsideOperation: 'replica' },
      `outsideOperation must be 'process-history' or 'primary', got "replica".`,
    ],
    [{ mutationReads: true }, "mutationReads must be 'track' or 'primary', got true."],
    [{ ignoreWrites: 'users' }, 'ignoreWrites must be an array of table names, got "users".'],
    [
      { ignoreWrites: [5n] },
      "ignoreWrites must hold table names such as 'users' or 'schema.users', got 5n.",
    ],
    [
      { relatedTables: ['orders'] },
      `relatedTables must be an object such as { orders: ['order_totals'] }, got ["orders"].`,
    ],
    [
      { relatedTables: { orders: 'totals' } },
      'relatedTables.orders must be an array of table names, got "totals".',
    ],
    [{ rawReads: 'replica' }, `rawReads must be 'route' or 'primary', got "replica".`],
    [{ routing: 'on' }, `routing must be 'enforce' or 'observe', got "on".`],
    [{ logger: {} }, 'logger must have a warn(message) method, as console has, got {}.'],
  ];
  for (const [options, message] of refused) {
    it(`refuse: ${message}`, () => {
      expect(() => resolveOptions(options))
        .to.throw(message)
        .that.satisfies(isOptionsError);
    });
  }
});
