import { ClusterError } from '../errors';
import { run, type RunAs } from './run';

const candidates = ['postgres', '_postgres', 'nobody'];

/**
 * Whom the servers run as. PostgreSQL refuses to run as root, so root hands them to the first of
 * the users `postgres`, `_postgres` and `nobody` that exists; everybody else runs them himself.
 * @throws ClusterError when this process is root and the system has none of these users.
 */
export async function serverUser(): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of candidates) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid), gid: Number(gid) };
    } catch {
      // No such user: try the next one.
    }
  }
  throw new ClusterError(
    `PostgreSQL refuses to run as root and none of the users ${candidates.join(', ')} exists: ` +
      'create one of them, or run as an ordinary user',
  );
}
