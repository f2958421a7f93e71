import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { GenericContainer, Network, Wait, type StartedNetwork } from 'testcontainers';
import type { ClusterSequelizeOptions } from '../../src/testing';
import { until } from '../../src/testing/poll';
import type { SharedCluster } from '../support/shared-cluster';
import { ContainerNode } from './container-node';
import { PG_IMAGE } from './engine';

const PORT = 5432;
/** A folder that no image has: over one that it has, a mount belongs to root alone. */
const MEMORY = '/node-in-memory';
const SCRIPT = '/docker-node.sh';
const START_MS = 120_000;

/** A primary with two streaming replicas, each in a container, made by the script of docker-compose.yml. */
export class ContainerCluster implements SharedCluster {
  constructor(
    readonly primary: ContainerNode,
    readonly replicas: readonly ContainerNode[],
    /** Resolves once the containers and their network are gone. */
    readonly stop: () => Promise<void>,
  ) {}

  sequelizeOptions(): ClusterSequelizeOptions {
    const { database, user: username, password } = this.primary;
    const access = { database, username, password };
    const connectionTo = ({ name, host, port }: ContainerNode) => ({ name, host, port, ...access });
    return {
      dialect: 'postgres',
      logging: false,
      ...access,
      replication: { write: connectionTo(this.primary), read: this.replicas.map(connectionTo) },
    };
  }

  /** Resolves once every replica that is not paused shows all that is committed now. */
  async waitForReplicas(): Promise<void> {
    // A commit of our own flushes whatever lies before it.
    await this.primary.query(`SELECT pg_logical_emit_message(true, 'fresh-reads', 'wait')`);
    const [row] = await this.primary.query('SELECT pg_current_wal_flush_lsn() AS position');
    const following = this.replicas.filter(({ paused }) => !paused);
    await Promise.all(
      following.map((replica) =>
        until(`${replica.name} has caught up`, async () => {
          const sql = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached';
          const [seen] = await replica.query(sql, [row?.['position']]);
          return seen?.['reached'] === true;
        }),
      ),
    );
  }
}

/** Starts the containers on a network of their own, with a password of their own. */
export async function startContainers(): Promise<ContainerCluster> {
  const network = await new Network().start();
  const password = randomBytes(16).toString('hex');
  const started: ContainerNode[] = [];
  const start = async (name: string) => {
    const node = await startNode(network, password, name);
    started.push(node);
    return node;
  };
  const stop = async () => {
    await Promise.all(started.map((node) => node.stop()));
    await network.stop();
  };
  try {
    const primary = await start('primary');
    const replicas = await Promise.all(['replica1', 'replica2'].map(start));
    return new ContainerCluster(primary, replicas, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(
  network: StartedNetwork,
  password: string,
  name: string,
): Promise<ContainerNode> {
  const role = name === 'primary' ? 'primary' : 'replica';
  const container = await new GenericContainer(PG_IMAGE)
    .withUser('postgres')
    .withEntrypoint(['sh', SCRIPT, role])
    .withEnvironment({ POSTGRES_PASSWORD: password, NODE_DATA: `${MEMORY}/node` })
    .withCopyFilesToContainer([
      { source: path.join(__dirname, '../../scripts/docker-node.sh'), target: SCRIPT, mode: 0o644 },
    ])
    .withNetwork(network)
    .withNetworkAliases(name)
    .withExposedPorts(PORT)
    // The data is for these tests alone: in memory, no commit waits for a disk.
    .withTmpFs({ [MEMORY]: 'rw,mode=1777' })
    .withWaitStrategy(Wait.forLogMessage(/ready to accept (read-only )?connections/))
    .withStartupTimeout(START_MS)
    .start();
  return new ContainerNode(name, password, container);
}
