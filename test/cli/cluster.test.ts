import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { main } from '../../src/cli/main';
import { Script, untilNothingRemains } from '../testing/support';

const entry = path.join(__dirname, '..', '..', 'src', 'cli', 'index.ts');

interface Description {
  pid: number;
  database: string;
  user: string;
  password: string;
  primary: { name: string; host: string; port: number; url: string };
  replicas: { name: string; host: string; port: number; url: string }[];
}

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ value: unknown }>(sql);
  await client.end();
  return rows[0]?.value;
}

describe('fresh-reads cluster', () => {
  let dir: string;

  const signals = ['SIGINT', 'SIGTERM'] as const;
  const commands = new Map<NodeJS.Signals, Script>();

  before(async function () {
    this.timeout(120_000);
    dir = mkdtempSync(path.join(tmpdir(), 'fresh-reads-cli-'));
    // Side by side: most of the time goes by in their starting.
    await Promise.all(
      signals.map(async (signal) => {
        const json = path.join(dir, `${signal}.json`);
        const flags = ['--replicas', '1', '--lag-ms=300', '--database', 'shop', '--json', json];
        const command = new Script(entry, 'cluster', ...flags);
        commands.set(signal, command);
        await command.line(/^Press Ctrl-C to stop\.$/m);
      }),
    );
  });

  after(() => {
    for (const command of commands.values()) command.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  for (const signal of signals) {
    it(`keeps a cluster up until ${signal}, then ends with 0 and leaves nothing`, async () => {
      const json = path.join(dir, `${signal}.json`);
      const command = commands.get(signal)!;
      const cluster = JSON.parse(readFileSync(json, 'utf8')) as Description;
      expect(statSync(json).mode & 0o777).to.equal(0o600);
      expect(cluster.pid).to.equal(command.pid);
      const nodes = [cluster.primary, ...cluster.replicas];
      expect(nodes.map(({ name }) => name)).to.deep.equal(['primary', 'replica1']);
      for (const { name, host, port, url } of nodes) {
        expect(command.out).to.match(new RegExp(`^${name} +${host}:${port}  ${url}$`, 'm'));
        expect(await ask(url, 'SELECT current_database() AS value')).to.equal(cluster.database);
      }
      const lag = `SELECT current_setting('recovery_min_apply_delay') AS value`;
      expect(await ask(cluster.replicas[0]!.url, lag)).to.equal('300ms');
      const dataDirectory = `SELECT current_setting('data_directory') AS value`;
      const folder = path.dirname((await ask(cluster.primary.url, dataDirectory)) as string);
      expect(existsSync(folder)).to.equal(true);

      command.kill(signal);
      expect(await command.end()).to.equal(0);
      expect(command.err).to.equal('');
      expect(readdirSync(dir)).to.not.include(path.basename(json));
      expect(existsSync(folder)).to.equal(false);
      await untilNothingRemains({ folder, pids: [] });
    });
  }

  async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const out: string[] = [];
    const err: string[] = [];
    const code = await main(args, {
      out: (line) => out.push(line),
      err: (line) => err.push(line),
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  }

  it('shows its help', async () => {
    for (const flag of ['--help', '-h']) {
      const general = await run(flag);
      expect(general).to.include({ code: 0, err: '' });
      expect(general.out).to.match(/^Usage: fresh-reads <command> \[options\]\n/);
      const ofCluster = await run('cluster', flag);
      expect(ofCluster).to.include({ code: 0, err: '' });
      expect(ofCluster.out).to.match(/^Usage: fresh-reads cluster \[options\]\n/);
      for (const name of ['replicas', 'lag-ms', 'database', 'port', 'json', 'help']) {
        expect(ofCluster.out).to.include(`--${name} `);
      }
    }
  });

  it('shows the version of the package', async () => {
    const file = path.join(__dirname, '..', '..', 'package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    for (const flag of ['--version', '-v']) {
      expect(await run(flag)).to.deep.equal({ code: 0, out: version, err: '' });
    }
  });

  it('shows how it is used when it is told nothing', async () => {
    const { code, out, err } = await run();
    expect(code).to.equal(2);
    expect(out).to.equal('');
    expect(err).to.match(/^Usage: fresh-reads <command> \[options\]\n/);
  });

  const nowhere = path.join(__dirname, 'nowhere');
  const abuse: [args: string[], message: string][] = [
    [['clutser'], 'there is no command "clutser"; see fresh-reads --help'],
    [['--replicas'], 'there is no option "--replicas"; see fresh-reads --help'],
    [['cluster', '--replicas', 'two'], '--replicas takes a whole number, 0 or more; got "two"'],
    [['cluster', '--replicas', ''], '--replicas takes a whole number, 0 or more; got ""'],
    [['cluster', '--replicas=-1'], '--replicas takes a whole number, 0 or more; got "-1"'],
    [['cluster', '--lag-ms', '0.5'], '--lag-ms takes a whole number, 0 or more; got "0.5"'],
    [['cluster', '--port', '0x10'], '--port takes a whole number, 0 or more; got "0x10"'],
    [
      ['cluster', '--replicas', '17'],
      'the option replicas must be a whole number from 0 to 16; got 17',
    ],
    [
      ['cluster', '--database', ''],
      'the option database must be a non-empty string without control characters; got ""',
    ],
    [
      ['cluster', '--json', path.join(nowhere, 'x.json')],
      `--json is "${path.join(nowhere, 'x.json')}", and there is no directory "${nowhere}"`,
    ],
    [
      ['cluster', '--json', __dirname],
      `--json takes the name of a file; "${__dirname}" is a directory`,
    ],
  ];
  for (const [args, message] of abuse) {
    it(`refuses: ${message}`, async () => {
      expect(await run(...args)).to.deep.equal({
        code: 2,
        out: '',
        err: `fresh-reads: ${message}`,
      });
    });
  }

  // The words in front are Node's own.
  for (const args of [['--replica', '2'], ['--replicas'], ['3'], ['--help=yes']]) {
    it(`refuses: cluster ${args.join(' ')}`, async () => {
      const { code, out, err } = await run('cluster', ...args);
      expect({ code, out }).to.deep.equal({ code: 2, out: '' });
      expect(err).to.match(/^fresh-reads: .*'?.+; see fresh-reads cluster --help$/s);
      expect(err).to.include(args[0]?.split('=')[0]);
    });
  }
});
