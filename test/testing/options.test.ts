import { expect } from 'chai';
import { isOptionsError } from '../../src/errors';
import { startCluster, type ClusterOptions } from '../../src/testing';
import { readOptions } from '../../src/testing/options';

const lagRange = 'must be a whole number of milliseconds from 0 to 2147483647';

const abuse: [options: unknown, message: string][] = [
  [null, 'startCluster takes an object of options, for example { replicas: 2 }; got null'],
  [2, 'startCluster takes an object of options, for example { replicas: 2 }; got 2'],
  [[2], 'startCluster takes an object of options, for example { replicas: 2 }; got [2]'],
  [
    { replica: 2 },
    'startCluster has no option "replica"; it takes replicas, lagMs, database, settings, port, binDir',
  ],
  [{ replicas: '2' }, 'the option replicas must be a whole number from 0 to 16; got "2"'],
  [{ replicas: 1.5 }, 'the option replicas must be a whole number from 0 to 16; got 1.5'],
  [{ replicas: -1 }, 'the option replicas must be a whole number from 0 to 16; got -1'],
  [{ replicas: 17 }, 'the option replicas must be a whole number from 0 to 16; got 17'],
  [{ replicas: null }, 'the option replicas must be a whole number from 0 to 16; got null'],
  [{ lagMs: '300ms' }, `the option lagMs ${lagRange}; got "300ms"`],
  [{ lagMs: NaN }, `the option lagMs ${lagRange}; got NaN`],
  [{ lagMs: 2 ** 31 }, `the option lagMs ${lagRange}; got 2147483648`],
  [
    { database: '' },
    'the option database must be a non-empty string without control characters; got ""',
  ],
  [
    { database: 'a\0b' },
    'the option database must be a non-empty string without control characters; got "a\\u0000b"',
  ],
  [
    { database: 'ä'.repeat(32) },
    `the option database must be at most 63 bytes long, PostgreSQL cuts longer names; got "${'ä'.repeat(32)}"`,
  ],
  [
    { settings: 'fsync=on' },
    `the option settings must be an object of server settings, for example { log_statement: 'all' }; got "fsync=on"`,
  ],
  [
    { settings: { 'fsync = on\nport': 1 } },
    `the option settings names "fsync = on\\nport", which can't be a server setting`,
  ],
  [{ settings: { Port: 5432 } }, `the option settings can't set "Port": use the option port`],
  [
    { settings: { recovery_min_apply_delay: 1 } },
    `the option settings can't set "recovery_min_apply_delay": use the option lagMs`,
  ],
  [
    { settings: { log_statement: null } },
    'the setting "log_statement" must be a string, number or boolean; got null',
  ],
  [{ port: 0 }, 'the option port must be a whole number from 1 to 65533; got 0'],
  [
    { port: 65_534, replicas: 2 },
    'the option port must be a whole number from 1 to 65533; got 65534',
  ],
  [
    { binDir: 15 },
    'the option binDir must be a non-empty string without control characters; got 15',
  ],
];

describe('the options of startCluster', () => {
  for (const [options, message] of abuse) {
    it(`refuse: ${message}`, async () => {
      const error = await startCluster(options as ClusterOptions).then(
        async (cluster) => {
          await cluster.stop();
          return undefined;
        },
        (reason: unknown) => reason,
      );
      expect(isOptionsError(error)).to.equal(true);
      expect((error as Error).message).to.equal(message);
    });
  }

  it('have defaults', () => {
    expect(readOptions()).to.deep.equal({
      replicas: 2,
      lagMs: 0,
      database: 'postgres',
      settings: {},
      port: undefined,
      binDir: undefined,
    });
  });
});
