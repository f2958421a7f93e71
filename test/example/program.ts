import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { until } from '../../src/testing/poll';
import type { Remains } from '../testing/support';

// What is set for the tests, by npm and by mocha as well, is not for the programs that they start.
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:npm_|MOCHA_)/i.test(name) &&
      ![
        'NODE_ENV',
        'PORT',
        'HOST',
        'REPLICAS',
        'REPLICA_LAG_MS',
        'FRESH_READS',
        'DATABASE_URL',
        'REPLICA_URLS',
      ].includes(name),
  ),
);

const root = path.join(__dirname, '../..');

/** A program in a process group of its own, as a terminal starts it. */
export class Program {
  readonly #child;
  readonly #exit: Promise<unknown>;
  out = '';
  err = '';

  constructor(command: readonly [string, ...string[]], env: Record<string, string>, cwd = root) {
    const [program, ...args] = command;
    this.#child = spawn(program, args, {
      cwd,
      env: { ...inherited, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exit = once(this.#child, 'close');
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.err += text));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves with the first match of what it has printed. */
  async printed(pattern: RegExp): Promise<string> {
    await until(
      () => `${String(pattern)} is printed; so far: ${this.out}${this.err}`,
      () => pattern.test(this.out) || this.#child.exitCode !== null,
    );
    const match = pattern.exec(this.out);
    if (match === null) throw new Error(`ended without ${String(pattern)}: ${this.out}${this.err}`);
    return match[1] ?? match[0];
  }

  /** What Ctrl-C does in a terminal: a signal to every process of the group. */
  interrupt(): void {
    process.kill(-this.pid, 'SIGINT');
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  /** Its exit code, or the signal that ended it. */
  async end(): Promise<number | NodeJS.Signals | null> {
    await this.#exit;
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  /** Ends the whole group if a test has failed to. */
  dispose(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    process.kill(-this.pid, 'SIGKILL');
  }
}

/** The folder and the servers of the embedded cluster of a running example, by its printed nodes. */
export async function remainsOf(program: Program): Promise<Remains> {
  await program.printed(/ready {3}Ctrl-C/);
  const urls = [...program.out.matchAll(/^node {4}\w+ {2}(\S+)$/gm)].map(([, url]) => url ?? '');
  const folders = await Promise.all(urls.map(dataDirectoryOf));
  const pids = folders.map((folder) =>
    parseInt(readFileSync(path.join(folder, 'postmaster.pid'), 'utf8')),
  );
  return { folder: path.dirname(folders[0] ?? ''), pids };
}

async function dataDirectoryOf(url: string): Promise<string> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  await client.end();
  return rows[0]?.data_directory ?? '';
}

/** The folders of the clusters that a process has in the temporary directory. */
export function foldersOf(pid: number): string[] {
  return readdirSync(tmpdir()).filter(
    (name) => name.startsWith('fresh-reads-cluster-') && name.includes(`-${pid}-`),
  );
}
