import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

/** One line of the system's process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** First letter of the state as `ps` shows it: `T` stopped, `Z` ended but not yet collected. */
  readonly state: string;
}

const hasProc = process.platform === 'linux';

/** The system's processes. Slim container images have no `ps`, so Linux is read from `/proc`. */
export function processTable(): ProcessEntry[] {
  if (hasProc) {
    return readdirSync('/proc').flatMap((name) => {
      const stat = /^\d+$/.test(name) ? procStat(Number(name)) : undefined;
      if (stat === undefined) return [];
      return [{ pid: Number(name), parent: Number(stat[1]), state: stat[0] ?? '?' }];
    });
  }
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return lines.split('\n').flatMap((line) => {
    const [, pid, parent, state] = /^\s*(\d+)\s+(\d+)\s+(\S)/.exec(line) ?? [];
    return state === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), state }];
  });
}

/**
 * What tells a process from any other that ever has the same id: a short hash of its start time.
 * Undefined when there is no such process.
 */
export function birthOf(pid: number): string | undefined {
  if (hasProc) {
    const startTime = procStat(pid)?.[19];
    if (startTime === undefined) return undefined;
    return shortHash(bootId() + startTime);
  }
  try {
    return shortHash(
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }),
    );
  } catch {
    return undefined;
  }
}

/** What tells this system's process ids from those of another container that shares its disk. */
export function processSpace(): string {
  return shortHash(pidNamespace() + hostname());
}

// Sandboxes may hide either of these two; what is left still tells most cases apart.

function pidNamespace(): string {
  try {
    return hasProc ? readlinkSync('/proc/self/ns/pid') : '';
  } catch {
    return '';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  } catch {
    return '';
  }
}

/** The fields of `/proc/<pid>/stat` behind the command name, which may itself hold spaces. */
function procStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
