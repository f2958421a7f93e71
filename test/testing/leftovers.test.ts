import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { addSettings, createDataDirectory } from '../../src/testing/data-directory';
import { findPrograms } from '../../src/testing/find-programs';
import { sweepAbandoned } from '../../src/testing/folder';
import { freePort } from '../../src/testing/ports';
import { birthOf, processSpace } from '../../src/testing/processes';
import { Server } from '../../src/testing/server';
import { serverUser } from '../../src/testing/server-user';
import { isAlive, Script, untilNothingRemains, type Remains } from './support';

const hostFile = path.join(__dirname, 'host.ts');

/** Starts a host that ends as `ending` says; gives it with what its cluster has on the machine. */
async function hostOf(ending: string): Promise<{ host: Script; remains: Remains }> {
  const host = new Script(hostFile, ending);
  const [, json = ''] = await host.line(/^up (.*)$/m);
  await host.line(/^ready$/m);
  return { host, remains: JSON.parse(json) as Remains };
}

describe('a cluster whose process ends without stop()', () => {
  const endings: { how: string; ending: string; signal?: NodeJS.Signals; code: unknown }[] = [
    { how: 'by process.exit', ending: 'exit', code: 3 },
    { how: 'by an uncaught exception', ending: 'throw', code: 1 },
    { how: 'by having nothing left to do', ending: 'return', code: 0 },
    { how: 'by SIGINT', ending: 'wait', signal: 'SIGINT', code: 'SIGINT' },
    { how: 'by SIGTERM', ending: 'wait', signal: 'SIGTERM', code: 'SIGTERM' },
    { how: 'by SIGHUP', ending: 'wait', signal: 'SIGHUP', code: 'SIGHUP' },
    { how: 'by SIGKILL', ending: 'wait', signal: 'SIGKILL', code: 'SIGKILL' },
    { how: 'by its own SIGINT listener', ending: 'listen', signal: 'SIGINT', code: 7 },
    { how: 'while a node is frozen', ending: 'freeze', signal: 'SIGKILL', code: 'SIGKILL' },
  ];
  let hosts: Awaited<ReturnType<typeof hostOf>>[];

  before(async function () {
    this.timeout(120_000);
    // Side by side: most of the time goes by in their starting.
    hosts = await Promise.all(endings.map(({ ending }) => hostOf(ending)));
  });

  endings.forEach(({ how, ending, signal, code }, index) => {
    it(`${how}: leaves no process and no file, and the exit code is the host's own`, async () => {
      const { host, remains } = hosts[index]!;
      expect(remains.pids).to.have.length(ending === 'freeze' ? 2 : 1);
      if (signal) host.kill(signal);
      expect(await host.end()).to.equal(code);
      if (ending === 'throw') expect(host.err).to.include('Error: an error of the host');
      if (ending === 'listen') expect(host.out).to.include('the listener of the host ran');
      await untilNothingRemains(remains);
    });
  });
});

describe('sweepAbandoned', () => {
  // The id of this process with the start time of another one: what an id used again looks like.
  const strangerName = () => `fresh-reads-cluster-${processSpace()}-${process.pid}-0000000000-`;
  const made: string[] = [];
  const usual = process.env['TMPDIR'];

  // A place of its own: any other start of a cluster would sweep what is prepared here.
  before(() => {
    const place = mkdtempSync(path.join(tmpdir(), 'fresh-reads-sweep-'));
    chmodSync(place, 0o755);
    process.env['TMPDIR'] = place;
  });
  after(() => {
    rmSync(tmpdir(), { recursive: true });
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
  });

  function folder(name: string): string {
    const dir = mkdtempSync(path.join(tmpdir(), name));
    made.push(dir);
    return dir;
  }

  after(() => {
    for (const dir of made) rmSync(dir, { recursive: true, force: true });
  });

  it('removes a folder whose owner is gone, though another process has its id now', async () => {
    const abandoned = folder(strangerName());
    mkdirSync(path.join(abandoned, 'primary'));
    writeFileSync(path.join(abandoned, 'primary', 'postmaster.pid'), `${process.pid}\n`);
    expect(sweepAbandoned()).to.include(abandoned);
    await untilNothingRemains({ folder: abandoned, pids: [] });
    expect(isAlive(process.pid)).to.equal(true);
  });

  it('ends a server that still runs in such a folder', async () => {
    const abandoned = folder(strangerName());
    const runAs = await serverUser();
    const dataDir = path.join(abandoned, 'primary');
    // The server's user has to reach its data.
    chmodSync(abandoned, 0o711);
    const programs = await findPrograms(undefined, abandoned, runAs);
    await createDataDirectory(dataDir, 'secret', programs, runAs);
    await addSettings(dataDir, { port: await freePort(), unix_socket_directories: '' });
    const server = new Server(programs.postgres, dataDir, `${dataDir}.log`, runAs);
    await server.start('primary');
    expect(sweepAbandoned()).to.include(abandoned);
    await untilNothingRemains({ folder: abandoned, pids: [] });
    await server.stop('immediate');
    expect(server.running).to.equal(false);
  });

  it('leaves the folders of living owners, of other containers and of nobody known', () => {
    const birth = birthOf(process.pid) ?? '';
    const kept = [
      folder(`fresh-reads-cluster-${processSpace()}-${process.pid}-${birth}-`),
      folder(`fresh-reads-cluster-0000000000-${process.pid}-0000000000-`),
      folder(`fresh-reads-cluster-${processSpace()}-${process.pid}-unknown-`),
      folder('fresh-reads-cluster-'),
    ];
    expect(sweepAbandoned()).to.not.include.members(kept);
  });
});
