import { isRefusal } from './bounded';
import type { Evidence } from './reading';

/** What operators are told: what is the matter, what follows from it, and what helps. */
export const notices = {
  standbyAsPrimary: () =>
    'the server behind the name of the primary is a standby (in recovery): not used',

  oldPrimary: () =>
    'an old primary, replaced by a failover, still answers under the name of the primary: not used while ' +
    'the new one may be there. Stop it, or writes sent there will be lost.',

  primaryBehindProxy: () =>
    'the primary is reached through a proxy that hides which server answers (its process id is not ' +
    'the one announced): nothing is proven, and reads of written tables stay on the primary. ' +
    'Connect to the primary itself.',

  replicaBehindProxy: (node: string) =>
    `${node} is reached through a proxy that hides which server answers (its process id is not the ` +
    'one announced): nothing is proven of it. Connect to the replica itself.',

  notAStandby: (node: string) =>
    `${node} is not a standby (any more) and not the primary: not used`,

  otherCluster: (node: string, system: string | undefined, ours: string | undefined) =>
    `${node} belongs to another cluster (system identifier ${system ?? 'unknown'}, ` +
    `not ${ours ?? 'unknown'}): not used`,

  otherTimeline: (node: string, timeline: number | undefined, ours: number | undefined) =>
    `${node} is not known to follow the primary on timeline ${ours ?? 'unknown'} (seen on ` +
    `${timeline ?? 'none'}): not used until it is. After a failover that can take a checkpoint, ` +
    'unless the role of the application has pg_read_all_stats.',

  noPosition: (node: string) => `${node} gives no replay position: nothing is proven of it`,

  severalServers: (node: string) =>
    `the name ${node} leads to several servers: nothing is proven of it. Name each replica by itself.`,

  /** A server refused a probe. */
  refused: (node: string, error: unknown, { remedy }: Evidence) =>
    `${node} refuses to tell how far it is (${reasonOf(error)}): nothing is proven by it, and reads of ` +
    `written tables stay on the primary. To change that, ${remedy}.`,

  flushRefused: (error: unknown) =>
    `the primary refuses to flush (${reasonOf(error)}): a commit can wait some seconds to be proven ` +
    'while other transactions are open and nobody commits',

  primaryUnreachable: (node: string, error: unknown) =>
    `${node} can't be probed (${reasonOf(error)}): reads of written tables stay on the primary until ` +
    'it can',

  replicaUnreachable: (node: string, error: unknown) =>
    `${node} can't be probed (${reasonOf(error)}): not used until it can`,
};

function reasonOf(error: unknown): string {
  if (isRefusal(error)) return `${error.message}, SQLSTATE ${error.code}`;
  return error instanceof Error ? error.message : String(error);
}
