import { Client } from 'pg';
import { QueryTypes } from 'sequelize';
import type { ReplicaNode } from '../../src/testing';
import { warmUp, type Bed, type Models } from './bed';
import type { Policy, PolicyRun } from './policy';

/** How old a known replay position may be before it is asked for again. */
const REFRESH_MS = 10;

/**
 * After a write the primary's position is noted for the user. Whatever that user reads, of whatever
 * table, comes from a replica that has replayed so far, else from the primary.
 */
export const userPosition: Policy = {
  name: 'user position',
  async start(bed: Bed): Promise<PolicyRun> {
    // Sequelize can't be told which replica to read from: an instance for each.
    const models = bed.cluster.replicas.map((_, index) => bed.connect([index]));
    await Promise.all(models.map(warmUp));
    const positions = await Promise.all(
      bed.cluster.replicas.map((replica) => ReplayPosition.of(replica)),
    );
    const [first] = models;
    if (!first) throw new Error('a user position needs a replica');
    const needed = new Map<number, bigint>();
    let turns = 0;

    /** A replica that has come so far, each in turn where several have. */
    const replicaAt = async (position: bigint): Promise<Models | undefined> => {
      const there = await Promise.all(positions.map((replica) => replica.has(position)));
      const able = models.filter((_, index) => there[index]);
      return able[turns++ % Math.max(able.length, 1)];
    };

    return {
      waits: [],
      async operation({ user }, work) {
        await work({
          read: async () => {
            const replica = await replicaAt(needed.get(user) ?? 0n);
            return replica ? { models: replica } : { models: first, useMaster: true };
          },
          write: first,
          wrote: async () => void needed.set(user, await writtenUpTo(first)),
        });
      },
      async stop() {
        for (const { sequelize } of models) await sequelize.close();
        for (const replica of positions) await replica.end();
      },
    };
  },
};

async function writtenUpTo({ sequelize }: Models): Promise<bigint> {
  const rows = await sequelize.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn', {
    type: QueryTypes.SELECT,
    useMaster: true,
  });
  return parse(rows[0]?.lsn);
}

/** How far one replica has replayed: asked when that is not far enough, at most once an interval. */
class ReplayPosition {
  readonly #client: Client;
  #position = 0n;
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async of({ host, port, user, password, database }: ReplicaNode): Promise<ReplayPosition> {
    const client = new Client({ host, port, user, password, database });
    await client.connect();
    return new ReplayPosition(client);
  }

  async has(position: bigint): Promise<boolean> {
    if (this.#position >= position) return true;
    if (!this.#asking && performance.now() - this.#askedAt >= REFRESH_MS)
      this.#asking = this.#ask();
    await this.#asking;
    return this.#position >= position;
  }

  end(): Promise<void> {
    return this.#client.end();
  }

  async #ask(): Promise<void> {
    this.#askedAt = performance.now();
    try {
      const { rows } = await this.#client.query<{ lsn: string }>(
        'SELECT pg_last_wal_replay_lsn()::text AS lsn',
      );
      this.#position = parse(rows[0]?.lsn);
    } finally {
      this.#asking = undefined;
    }
  }
}

/** `16/B374D848`: two hexadecimal halves of a 64-bit number. */
function parse(lsn: string | undefined): bigint {
  const [high, low] = (lsn ?? '').split('/');
  if (!high || !low)
    throw new Error(`${JSON.stringify(lsn)} is no position in the write-ahead log`);
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
