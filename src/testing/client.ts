import { Client } from 'pg';
import type { ClusterNode } from './node';

/**
 * Connects to a node as superuser, for as long as `use` takes.
 * @throws ClusterError when the node is stopped or frozen.
 */
export async function withClient<T>(
  node: ClusterNode,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  node.assertAnswers();
  const { host, port, user, password, database } = node;
  const client = new Client({ host, port, user, password, database, ssl: false });
  // A node that dies between two statements is reported by the next statement.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
