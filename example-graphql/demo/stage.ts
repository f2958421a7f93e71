import { startCluster } from 'sequelize-fresh-reads/testing';
import { embeddedDatabase } from '../database';
import { startExample, type Example } from '../start';
import { castOf, type Player } from './players';
import { countReads, type ReadCounter } from './read-counter';

/** One of the two services, with the players that are its own. */
export interface Side {
  readonly name: string;
  readonly example: Example;
  readonly reads: ReadCounter;
  readonly players: readonly Player[];
}

/** The nodes and the two services on them. */
export interface Stage {
  readonly sides: readonly Side[];
  /** How far the replicas are behind from now on, in milliseconds. */
  setLag(ms: number): Promise<void>;
  /** Resolves once the replicas show all that is committed now. */
  waitForReplicas(): Promise<void>;
  /** What the primary says: the first row. */
  askPrimary(sql: string, values: readonly unknown[]): Promise<Record<string, unknown> | undefined>;
  close(): Promise<void>;
}

const SIDES = [
  { name: 'Sequelize alone', routing: 'observe' },
  { name: 'with fresh reads', routing: 'enforce' },
] as const;

export async function openStage(): Promise<Stage> {
  const cluster = await startCluster({ replicas: 2 });
  const sides: Side[] = [];
  const close = async () => {
    for (const { example } of sides) await example.stop();
    await cluster.stop();
  };
  try {
    const database = embeddedDatabase(cluster);
    for (const [index, { name, routing }] of SIDES.entries()) {
      const example = await startExample({ database, routing });
      const reads = countReads(example.sequelize, [cluster.primary, ...cluster.replicas]);
      const players = await castOf(cluster.primary, index);
      sides.push({ name, example, reads, players });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    sides,
    async setLag(ms) {
      for (const replica of cluster.replicas) await replica.setLag(ms);
    },
    waitForReplicas: () => cluster.waitForReplicas(),
    askPrimary: async (sql, values) => (await cluster.primary.query(sql, values))[0],
    close,
  };
}
