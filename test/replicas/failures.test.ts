import { expect } from 'chai';
import { ConnectionRefusedError, ConnectionTimedOutError, DatabaseError } from 'sequelize';
import { isRetryableElsewhere, meaningOf } from '../../src/replicas';
import { NoAnswerError } from '../../src/replicas/within';
import { failure } from './fakes';

describe('what a failed read on a replica says', () => {
  const cases: [string, unknown, string][] = [
    ['connection refused', failure('ECONNREFUSED'), 'elsewhere lost'],
    ['connection reset', failure('ECONNRESET'), 'elsewhere lost'],
    ['host unknown', failure('ENOTFOUND'), 'elsewhere lost'],
    [
      'connection lost, as pg says it',
      new Error('Connection terminated unexpectedly'),
      'elsewhere lost',
    ],
    [
      'a connection that was lost before',
      new Error('Client has encountered a connection error and is not queryable'),
      'elsewhere lost',
    ],
    ['ended by an administrator', failure('57P01'), 'elsewhere lost'],
    ['crash of another process', failure('57P02'), 'elsewhere lost'],
    ['starting up', failure('57P03'), 'elsewhere lost'],
    ['connection exception', failure('08006'), 'elsewhere lost'],
    ['connect out of time', new NoAnswerError('x'), 'elsewhere silent'],
    ["connect out of pg's time", new Error('timeout expired'), 'elsewhere silent'],
    ['no route in time', failure('ETIMEDOUT'), 'elsewhere silent'],
    ["the application's own query time-out", new Error('Query read timeout'), 'final silent'],
    ['recovery conflict', failure('40001'), 'elsewhere answered'],
    ['recovery conflict, as a deadlock', failure('40P01'), 'elsewhere answered'],
    ['read-only', failure('25006'), 'elsewhere answered'],
    ['not during recovery', failure('55000'), 'elsewhere answered'],
    ['not on a standby', failure('0A000'), 'elsewhere answered'],
    ['table not there yet', failure('42P01'), 'elsewhere answered'],
    ['column not there yet', failure('42703'), 'elsewhere answered'],
    ['function not there yet', failure('42883'), 'elsewhere answered'],
    ['grant not there yet', failure('42501'), 'elsewhere answered'],
    ['enum value not there yet', failure('22P02'), 'elsewhere answered'],
    ['out of memory', failure('53200'), 'elsewhere answered'],
    ['too many connections', failure('53300'), 'elsewhere answered'],
    ['its disk', failure('58030'), 'elsewhere answered'],
    ['its own error', failure('XX000'), 'elsewhere answered'],
    ['cancelled by somebody else', failure('57014'), 'final answered'],
    ['division by zero', failure('22012'), 'final answered'],
    ['syntax error', failure('42601'), 'final answered'],
    ['wrong password', failure('28P01'), 'final answered'],
    ['an error of the application', new TypeError('x is not a function'), 'final answered'],
    ['something else', 'oops', 'final answered'],
    ['nothing', undefined, 'final answered'],
    [
      'wrapped, code inside',
      new DatabaseError(Object.assign(failure('57P01'), { sql: '' })),
      'elsewhere lost',
    ],
    [
      'wrapped, no code',
      new DatabaseError(
        Object.assign(new Error('Connection terminated unexpectedly'), { sql: '' }),
      ),
      'elsewhere lost',
    ],
    [
      'a refused connect, wrapped',
      new ConnectionRefusedError(failure('ECONNREFUSED')),
      'elsewhere lost',
    ],
    ['a connect with no known cause', new ConnectionRefusedError(new Error('?')), 'elsewhere lost'],
    ['a connect out of time', new ConnectionTimedOutError(new Error('?')), 'elsewhere silent'],
    ['a wrong password, wrapped', new ConnectionRefusedError(failure('28P01')), 'final answered'],
    ['a cause', new Error('outer', { cause: failure('25006') }), 'elsewhere answered'],
  ];

  for (const [what, error, expected] of cases) {
    it(`${what}: ${expected}`, () => {
      const { retryElsewhere, node } = meaningOf(error);
      expect(`${retryElsewhere ? 'elsewhere' : 'final'} ${node}`).to.equal(expected);
    });
  }

  it('a cancellation is retried only when it was ours', () => {
    expect(isRetryableElsewhere(failure('57014'))).to.equal(false);
    expect(isRetryableElsewhere(failure('57014'), { cancelled: true })).to.equal(true);
  });

  it('an error that is its own cause ends the search', () => {
    const error = new Error('round') as Error & { cause?: unknown };
    error.cause = error;
    expect(isRetryableElsewhere(error)).to.equal(false);
  });
});
