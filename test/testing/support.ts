import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Cluster, ClusterNode } from '../../src/testing';
import { until } from '../../src/testing/poll';
import { processTable } from '../../src/testing/processes';

/** What a cluster has on the machine: its folder and the process ids of its servers. */
export interface Remains {
  folder: string;
  pids: number[];
}

/** Looks a running cluster up on the machine. */
export async function remainsOf(cluster: Cluster): Promise<Remains> {
  const dirs = await Promise.all([cluster.primary, ...cluster.replicas].map(dataDirectoryOf));
  const pids = dirs.map((dir) => parseInt(readFileSync(path.join(dir, 'postmaster.pid'), 'utf8')));
  return { folder: path.dirname(dirs[0] ?? ''), pids };
}

/** The data directory of a running node. */
export async function dataDirectoryOf(node: ClusterNode): Promise<string> {
  const [row] = await node.query('SHOW data_directory');
  return row?.['data_directory'] as string;
}

/** Whether a process is there. One that ended and waits for its parent to notice is not. */
export function isAlive(pid: number): boolean {
  return processTable().some((entry) => entry.pid === pid && entry.state !== 'Z');
}

/** Resolves once nothing is left; rejects when something still is after 20 seconds. */
export async function untilNothingRemains({ folder, pids }: Remains): Promise<void> {
  await until(
    () => `${folder} (${String(existsSync(folder))}) and ${pids.filter(isAlive).join()} are gone`,
    () => !existsSync(folder) && !pids.some(isAlive),
    20_000,
  );
}

/** A script run by another Node process, with the lines it prints. */
export class Script {
  readonly #child;
  readonly #exit: Promise<unknown>;
  #out = '';
  #err = '';

  constructor(file: string, ...args: string[]) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exit = once(this.#child, 'close');
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#out += text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#err += text));
  }

  get out(): string {
    return this.#out;
  }

  get err(): string {
    return this.#err;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves once it has printed a line that `pattern` matches, with that match. */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    await until(
      () => `a line ${String(pattern)} is printed; printed so far: ${this.#out}${this.#err}`,
      () => pattern.test(this.#out) || this.#child.exitCode !== null,
    );
    const match = pattern.exec(this.#out);
    if (match === null) throw new Error(`ended without a line ${String(pattern)}: ${this.#err}`);
    return match;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves at its end with its exit code, or the signal that ended it. */
  async end(): Promise<number | NodeJS.Signals | null> {
    await this.#exit;
    return this.#child.exitCode ?? this.#child.signalCode;
  }
}
