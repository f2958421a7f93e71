import { ConfigError, withoutPassword } from '../config';
import { ask } from './ask';

/**
 * Makes sure that a primary and its replicas are what their variables say.
 * @throws ConfigError when one can't be reached, has the other role, or is of another cluster
 */
export async function checkRoles(
  primaryUrl: string,
  replicaUrls: readonly string[],
): Promise<void> {
  const [primary, ...replicas] = await Promise.all([primaryUrl, ...replicaUrls].map(identify));
  if (primary?.standby) {
    throw new ConfigError(
      `DATABASE_URL (${withoutPassword(primaryUrl)}) is a standby, which takes no writes: it has to be the primary.`,
    );
  }
  for (const { url, standby, cluster } of replicas) {
    const name = `${withoutPassword(url)} in REPLICA_URLS`;
    if (!standby) {
      throw new ConfigError(`${name} is no standby: it follows nobody, DATABASE_URL neither.`);
    }
    if (primary?.cluster !== undefined && cluster !== undefined && cluster !== primary.cluster) {
      throw new ConfigError(
        `${name} is no replica of DATABASE_URL: it is of the cluster ${cluster}, the primary of ${primary.cluster}.`,
      );
    }
  }
}

/** The system identifier is the same on all nodes of a cluster; undefined where it is not told. */
async function identify(url: string) {
  const standby = (await ask(url, 'SELECT pg_is_in_recovery() AS answer')) === true;
  const sql = 'SELECT system_identifier::text AS answer FROM pg_control_system()';
  const cluster = await ask(url, sql).catch((error: unknown) => {
    if (error instanceof ConfigError) throw error;
    return undefined;
  });
  return { url, standby, cluster: typeof cluster === 'string' ? cluster : undefined };
}
