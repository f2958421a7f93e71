import { execFile } from 'node:child_process';
import { ClusterError } from '../errors';

/** The operating system user a server program runs as; undefined: the user of this process. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

// Nothing of the caller's PG* variables may reach a server, its tools or its walreceiver.
const passedOn = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'TMPDIR'];

/** The environment of every server program: messages in English, times in UTC, no `PG*` variable. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = passedOn.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Runs a program to its end and resolves with what it printed.
 * @throws ClusterError with the end of its error output, `cause` being Node's own error.
 */
export function run(
  file: string,
  args: readonly string[],
  { runAs, input = '' }: { runAs?: RunAs; input?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { ...runAs, cwd: '/', env: serverEnvironment() },
      (error, stdout, stderr) => {
        if (error === null) {
          resolve(stdout);
          return;
        }
        const detail = stderr.trim().split('\n').slice(-10).join('\n') || error.message;
        reject(new ClusterError(`${file} failed: ${detail}`, { cause: error }));
      },
    );
    // A program that ended without reading leaves a broken pipe; its exit code tells the story.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
