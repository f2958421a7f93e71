import { ClusterError, echo } from '../errors';
import { run, type RunAs } from './run';

/** The server programs a cluster is made of. */
export interface Programs {
  readonly postgres: string;
  readonly initdb: string;
}

/** The oldest major version a cluster works with: the first whose standbys tell all it asks. */
export const oldestVersion = 15;

/**
 * The major version of a `postgres` program, run as the user who is to run the server.
 * @throws ClusterError when it does not run.
 */
export async function versionOf(postgres: string, runAs: RunAs | undefined): Promise<number> {
  const text = await run(postgres, ['--version'], { runAs });
  const major = /PostgreSQL\)? (\d+)/.exec(text)?.[1];
  if (major === undefined) {
    throw new ClusterError(
      `${postgres} --version says ${echo(text.trim())}, which names no version`,
    );
  }
  return Number(major);
}
