import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ClusterError } from '../errors';
import { birthOf, processSpace } from './processes';
import { reaperScript } from './reaper';

const prefix = 'fresh-reads-cluster';
const folderName = new RegExp(`^${prefix}-(\\w+)-(\\d+)-(\\w+)-\\w+$`);

/** Where the system tells no start times: a folder that can't be proven abandoned stays. */
const unknownBirth = 'unknown';

/**
 * The folder of one cluster in the system's temporary directory, and the guard that removes it
 * with every server in it when its owner, this process, is gone: in whatever way it ended, since
 * all the guard waits for is the end of a pipe. So the host needs no handler for signals or exits.
 */
export class ClusterFolder {
  readonly path: string;
  readonly #guard: ChildProcess;
  readonly #guardEnd: Promise<unknown>;

  constructor() {
    this.path = mkdtempSync(path.join(path.resolve(tmpdir()), `${prefix}-${owner()}-`));
    // Servers that run as another user have to pass through to their own folders in here.
    chmodSync(this.path, 0o711);
    this.#guard = spawnReaper(this.path, 'pipe');
    this.#guardEnd = once(this.#guard, 'exit').catch((cause: unknown) => {
      throw new ClusterError('could not start the program sh, which cleans up after a cluster', {
        cause,
      });
    });
    // Reported by remove(); until then nobody listens.
    this.#guardEnd.catch(() => undefined);
  }

  /**
   * Ends whatever still runs in the folder and removes it. Resolves once both are gone.
   * @throws ClusterError when the folder can't be removed.
   */
  async remove(): Promise<void> {
    this.#guard.stdin?.destroy();
    this.#guard.ref();
    await this.#guardEnd;
    // A guard that somebody killed has done nothing.
    if (this.#guard.exitCode !== 0) await finished(spawnReaper(this.path, 'ignore'));
    if (existsSync(this.path)) throw new ClusterError(`could not remove ${this.path}`);
  }
}

/** Removes, in the background, the folders of clusters whose owner is gone. Gives their paths. */
export function sweepAbandoned(): string[] {
  const space = processSpace();
  const abandoned = readdirSync(tmpdir()).flatMap((name) => {
    const [, folderSpace, pid, birth] = folderName.exec(name) ?? [];
    if (folderSpace !== space || birth === undefined || birth === unknownBirth) return [];
    if (birthOf(Number(pid)) === birth) return [];
    const folder = path.join(path.resolve(tmpdir()), name);
    return isMine(folder) ? [folder] : [];
  });
  // Their standard input is at its end from the start: nobody is left to wait for.
  for (const folder of abandoned) spawnReaper(folder, 'ignore');
  return abandoned;
}

/** This process, as a part of a folder's name: present from the moment the folder exists. */
function owner(): string {
  return `${processSpace()}-${process.pid}-${birthOf(process.pid) ?? unknownBirth}`;
}

function isMine(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.();
}

async function finished(child: ChildProcess): Promise<void> {
  child.ref();
  await once(child, 'exit');
}

function spawnReaper(folder: string, stdin: 'pipe' | 'ignore'): ChildProcess {
  // By way of a variable, so that a list of processes shows one short line.
  const child = spawn('/bin/sh', ['-c', 'eval "$REAPER"', 'fresh-reads-guard', folder], {
    cwd: '/',
    env: { ...process.env, REAPER: reaperScript },
    detached: true,
    stdio: [stdin, 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.unref();
  return child;
}
