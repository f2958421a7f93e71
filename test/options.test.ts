import { expect } from 'chai';
import { isOptionsError } from '../src';
import { resolveOptions } from '../src/resolve-options';

describe('options', () => {
  it('have a default each', () => {
    expect(resolveOptions(undefined)).to.deep.equal({
      freshness: { mode: 'proven', catchUpWaitMs: 0, probeIntervalMs: 10, heartbeat: undefined },
      outsideOperation: 'process-history',
      mutationReads: 'track',
      ignoreWrites: [],
      relatedTables: {},
      rawReads: 'route',
      onNoReplica: 'primary',
      maxPrimaryFallback: undefined,
      maxReplicaLagMs: undefined,
      replicaConnectTimeoutMs: 3000,
      replicaTimeoutMs: 2000,
      historyScope: 'operation',
      sessionSecret: undefined,
      monotonicReads: false,
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
        'ignoreWrites, relatedTables, rawReads, onNoReplica, maxPrimaryFallback, maxReplicaLagMs, ' +
        'replicaConnectTimeoutMs, replicaTimeoutMs, historyScope, sessionSecret, monotonicReads, routing, logger.',
    ],
    [
      { sessionSecret: '' },
      'sessionSecret must be a string that is not empty, or an array of them with the current one first; got string.',
    ],
    [
      { sessionSecret: ['hush', 7] },
      'sessionSecret must be a string that is not empty, or an array of them with the current one first; got an array of string, number.',
    ],
    [{ monotonicReads: 'yes' }, 'monotonicReads must be true or false, got "yes".'],
    [{ historyScope: 'field' }, `historyScope must be 'operation' or 'resolver', got "field".`],
    [{ freshness: 1000 }, "freshness must be an object such as { mode: 'proven' }, got 1000."],
    [
      { freshness: { mode: 'fixd' } },
      `freshness.mode must be 'proven', 'fixed' or 'measured', got "fixd".`,
    ],
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
      { freshness: { mode: 'proven', windowMs: 5 } },
      'freshness: unknown option "windowMs"; the options are mode, catchUpWaitMs, probeIntervalMs, heartbeat.',
    ],
    [
      { freshness: { mode: 'proven', catchUpWaitMs: -1 } },
      'freshness.catchUpWaitMs must be a number of milliseconds, zero or more, got -1.',
    ],
    [
      { freshness: { mode: 'proven', probeIntervalMs: 0 } },
      'freshness.probeIntervalMs must be a number of milliseconds above zero, got 0.',
    ],
    [
      { freshness: { mode: 'proven', heartbeat: 'beats' } },
      `freshness.heartbeat must be an object such as { table: 'fresh_reads_heartbeat' }, got "beats".`,
    ],
    [
      { freshness: { mode: 'measured', percentile: 0 } },
      'freshness.percentile must be a number above 0, at most 100, got 0.',
    ],
    [
      { freshness: { mode: 'measured', floorMs: 20, ceilingMs: 10 } },
      'freshness.floorMs must not be above freshness.ceilingMs (10), got 20.',
    ],
    [{ onNoReplica: 'wait' }, `onNoReplica must be 'primary' or 'error', got "wait".`],
    [
      { maxPrimaryFallback: 1.5 },
      'maxPrimaryFallback must be a whole number, zero or more, got 1.5.',
    ],
    [
      { maxReplicaLagMs: NaN },
      'maxReplicaLagMs must be a number of milliseconds, zero or more, got NaN.',
    ],
    ...['replicaConnectTimeoutMs', 'replicaTimeoutMs'].map((name): [unknown, string] => [
      { [name]: 2 ** 31 },
      `${name} must be at most 2147483647 milliseconds, the longest that a timer runs, got 2147483648.`,
    ]),
    ...['catchUpWaitMs', 'probeIntervalMs'].map((name): [unknown, string] => [
      { freshness: { mode: 'proven', [name]: 1e10 } },
      `freshness.${name} must be at most 2147483647 milliseconds, the longest that a timer runs, got 10000000000.`,
    ]),
    [
      { replicaTimeoutMs: 0 },
      'replicaTimeoutMs must be a number of milliseconds above zero, got 0.',
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
