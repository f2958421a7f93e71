import { expect } from 'chai';
import { ConfigError, readConfig } from '../../example-graphql/config';

describe('the example: environment', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).to.deep.equal({
      host: '127.0.0.1',
      port: 4000,
      database: { kind: 'embedded', replicas: 2, lagMs: 300 },
      routing: 'enforce',
      sessionSecret: undefined,
      development: true,
    });
  });

  it('takes what is set, and an empty value for unset', () => {
    const env = {
      PORT: '0',
      REPLICAS: '1',
      REPLICA_LAG_MS: '2000',
      FRESH_READS: 'off',
      SESSION_SECRET: 'hush',
    };
    expect(readConfig({ ...env, NODE_ENV: 'production', DATABASE_URL: '' })).to.deep.equal({
      host: '127.0.0.1',
      port: 0,
      database: { kind: 'embedded', replicas: 1, lagMs: 2000 },
      routing: 'observe',
      sessionSecret: 'hush',
      development: false,
    });
  });

  it('takes real databases', () => {
    const urls = [
      'postgres://a:b@db1/town',
      'postgresql://a:b@db2:5433/town',
      'postgres://db3/town',
    ];
    const [DATABASE_URL, ...replicaUrls] = urls;
    const env = { DATABASE_URL, REPLICA_URLS: replicaUrls.join(', ') };
    expect(readConfig(env).database).to.deep.equal({
      kind: 'real',
      primaryUrl: DATABASE_URL,
      replicaUrls,
    });
    expect(readConfig({ DATABASE_URL }).database).to.include({ kind: 'real' });
  });

  const bad: readonly [Record<string, string>, string][] = [
    [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535, got "abc".'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, got "70000".'],
    [{ PORT: '-1' }, 'PORT must be a whole number from 0 to 65535, got "-1".'],
    [{ PORT: '0x10' }, 'PORT must be a whole number from 0 to 65535, got "0x10".'],
    [
      { REPLICA_LAG_MS: '0.5' },
      'REPLICA_LAG_MS must be a whole number from 0 to 600000, got "0.5".',
    ],
    [{ REPLICAS: '0' }, 'REPLICAS must be a whole number from 1 to 16, got "0".'],
    [{ FRESH_READS: 'no' }, 'FRESH_READS must be on or off, got "no".'],
    [
      { REPLICA_URLS: 'postgres://db2/town' },
      'REPLICA_URLS needs DATABASE_URL as well: the primary that they follow.',
    ],
    [
      { DATABASE_URL: 'mysql://root:secret@db1/town' },
      'DATABASE_URL must be like postgres://user:password@host:5432/database, ' +
        'got "mysql://root:***@db1/town".',
    ],
    [
      { DATABASE_URL: 'postgres://db1/town', REPLICA_URLS: 'postgres://db2/town,' },
      'REPLICA_URLS must be like postgres://user:password@host:5432/database, ' +
        'several with commas between, got "".',
    ],
  ];
  for (const [env, message] of bad) {
    it(`refuses ${JSON.stringify(env)}`, () => {
      expect(() => readConfig(env)).to.throw(ConfigError, message);
    });
  }
});
