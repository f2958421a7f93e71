import { expect } from 'chai';
import { openDatabase } from '../../example-graphql/database';
import { startCluster, type Cluster } from '../../src/testing';

/** What is wrong with a set of databases, in the words of the example. */
async function complaintAbout(primaryUrl: string, ...replicaUrls: string[]): Promise<string> {
  return openDatabase({ kind: 'real', primaryUrl, replicaUrls }).then(
    () => 'nothing',
    (error: unknown) => `${(error as Error).name}: ${(error as Error).message}`,
  );
}

describe('the example: DATABASE_URL and REPLICA_URLS that are not what they say', () => {
  let cluster: Cluster;
  let other: Cluster;

  before(async () => {
    [cluster, other] = await Promise.all([
      startCluster({ replicas: 1 }),
      startCluster({ replicas: 1 }),
    ]);
  });

  after(async () => {
    await Promise.all([cluster.stop(), other.stop()]);
  });

  const shown = (url: string) => url.replace(/:[0-9a-f]{32}@/, ':***@');

  it('takes a primary with its replica', async () => {
    const [replica] = cluster.replicas;
    expect(await complaintAbout(cluster.primary.url, replica!.url)).to.equal('nothing');
  });

  it('refuses a replica of another cluster, by the system identifiers', async () => {
    const [stranger] = other.replicas;
    const [mine, theirs] = await Promise.all(
      [cluster.primary, other.primary].map(async (node) => {
        const [row] = await node.query(
          'SELECT system_identifier::text AS id FROM pg_control_system()',
        );
        return String(row?.['id']);
      }),
    );
    expect(await complaintAbout(cluster.primary.url, stranger!.url)).to.equal(
      `ConfigError: ${shown(stranger!.url)} in REPLICA_URLS is no replica of DATABASE_URL: ` +
        `it is of the cluster ${theirs}, the primary of ${mine}.`,
    );
  });

  it('refuses a primary in place of a replica', async () => {
    expect(await complaintAbout(cluster.primary.url, other.primary.url)).to.equal(
      `ConfigError: ${shown(other.primary.url)} in REPLICA_URLS is no standby: ` +
        'it follows nobody, DATABASE_URL neither.',
    );
  });

  it('refuses a standby in place of the primary', async () => {
    const [replica] = cluster.replicas;
    expect(await complaintAbout(replica!.url, replica!.url)).to.equal(
      `ConfigError: DATABASE_URL (${shown(replica!.url)}) is a standby, which takes no writes: ` +
        'it has to be the primary.',
    );
  });

  it('says which one does not answer, or takes no such password', async () => {
    const nobody = 'postgres://app:secret@127.0.0.1:1/town';
    const complaint = `ConfigError: can't connect to postgres://app:***@127.0.0.1:1/town: ECONNREFUSED.`;
    expect(await complaintAbout(nobody)).to.equal(complaint);
    expect(await complaintAbout(cluster.primary.url, nobody)).to.equal(complaint);
    const wrong = cluster.primary.url.replace(cluster.primary.password, 'wrong');
    expect(await complaintAbout(wrong)).to.match(/^ConfigError: .*:\*\*\*@.*: 28P01\.$/);
  });
});
