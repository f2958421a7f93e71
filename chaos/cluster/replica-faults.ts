import { setTimeout as pause } from 'node:timers/promises';
import { despiteConflicts } from './conflict';
import type { Random } from '../random';
import { APPLICATION, type Ground, type Standby } from './ground';

/** What can be done to a cluster. Each leaves it as it was, unless it says otherwise. */
export interface Deed {
  readonly what: string;
  /** How often it is chosen beside others. */
  readonly weight: number;
  /** Whether it can be done now. */
  fits?(ground: Ground, standby: Standby): boolean;
  /** @param told says how it is done, before anything is */
  run(ground: Ground, standby: Standby, random: Random, told: (how: string) => void): Promise<void>;
}

/** The lags that replicas are given, in milliseconds: never none, or nothing could be stale. */
const LAGS = [5, 30, 80, 150, 300, 600];
/** A lag of the time before a crash: what had been shown is not shown after it. */
const LAG_BEHIND_CRASH_MS = 4000;
const BULK = `INSERT INTO bulk SELECT repeat('x', 500) FROM generate_series(1, 4000)`;

/** Faults that take time to arrive: nobody dies. */
export const LAG_DEEDS: readonly Deed[] = [
  {
    ...{ what: 'lag', weight: 6 },
    async run(_ground, { node }, random, told) {
      const ms = random.pick(LAGS);
      told(`a lag of ${ms} ms`);
      await node.setLag(ms);
    },
  },
  {
    ...{ what: 'pause', weight: 3 },
    async run(_ground, { node }, random, told) {
      told('replay paused');
      await node.pause();
      await pause(random.between(200, 1200));
      await node.resume();
    },
  },
  {
    ...{ what: 'bulk writes', weight: 2 },
    async run(ground, _standby, _random, told) {
      told('bulk writes');
      await ground.primary.query(BULK);
    },
  },
  {
    ...{ what: 'vacuum', weight: 2 },
    async run(ground, _standby, random, told) {
      const table = random.pick(['items', 'totals', 'notes', 'parents', 'children']);
      told(`vacuum of ${table}`);
      await ground.primary.query(`VACUUM ${table}`);
    },
  },
  {
    ...{ what: 'definitions', weight: 0.4 },
    async run(ground, _standby, random, told) {
      const table = random.pick(['totals', 'quiet', 'notes']);
      told(`a column of ${table} comes and goes`);
      await migrate(ground, `ALTER TABLE ${table} ADD COLUMN passing int`);
      await migrate(ground, `ALTER TABLE ${table} DROP COLUMN passing`);
    },
  },
];

/** Faults that cost connections, or a node. */
export const LOSS_DEEDS: readonly Deed[] = [
  {
    ...{ what: 'kill', weight: 2 },
    async run(_ground, { node }, random, told) {
      told('killed, and started again');
      await node.kill();
      await pause(random.between(100, 800));
      await node.start();
    },
  },
  {
    ...{ what: 'stop', weight: 1 },
    async run(_ground, { node }, random, told) {
      told('stopped, and started again');
      await node.stop();
      await pause(random.between(100, 800));
      await node.start();
    },
  },
  {
    ...{ what: 'crash', weight: 4 },
    async run(_ground, { node }, random, told) {
      told('a server process is killed: crash restart, below what it had shown');
      await crash(node, LAG_BEHIND_CRASH_MS);
      await pause(random.between(800, 2000));
      await untilAnswers(node);
      await node.setLag(random.pick(LAGS));
    },
  },
  {
    ...{ what: 'crash beside paused ones', weight: 2 },
    // Above what everybody has, and below what it had shown itself.
    async run({ standbys }, { node }, random, told) {
      told('the others are paused, and it crashes');
      const others = standbys.filter((other) => other.node !== node && !other.node.promoted);
      try {
        for (const other of others) await other.node.pause();
        await pause(LAG_BEHIND_CRASH_MS / 2 + 500);
        await crash(node, LAG_BEHIND_CRASH_MS / 2);
        await pause(1000);
        await untilAnswers(node);
        await node.setLag(random.pick(LAGS));
      } finally {
        for (const other of others) await other.node.resume();
      }
    },
  },
  {
    ...{ what: 'terminate', weight: 2 },
    async run(_ground, { node }, _random, told) {
      told('all connections terminated');
      await node.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
        [APPLICATION],
      );
    },
  },
  {
    ...{ what: 'freeze', weight: 2 },
    async run(_ground, { node }, random, told) {
      told('frozen');
      await node.freeze();
      await pause(random.between(300, 1500));
      await node.thaw();
    },
  },
  {
    ...{ what: 'partition', weight: 2 },
    fits: (_ground, { proxy }) => proxy !== undefined,
    async run(_ground, { proxy }, random, told) {
      told('nothing passes');
      proxy?.stall();
      await pause(random.between(200, 1500));
      proxy?.flow();
    },
  },
  {
    ...{ what: 'refusal', weight: 2 },
    fits: (_ground, { proxy }) => proxy !== undefined,
    async run(_ground, { proxy }, random, told) {
      told('connections dropped and refused');
      if (!proxy) return;
      proxy.refusing = true;
      proxy.dropAll();
      await pause(random.between(200, 1000));
      proxy.refusing = false;
    },
  },
];

/** What is behind a name changes. */
export const NAME_DEEDS: readonly Deed[] = [
  {
    ...{ what: 'swap', weight: 3 },
    fits: (ground, { proxy }) => proxy !== undefined && ground.standbys.length > 1,
    async run(ground, { node, proxy }, random, told) {
      const others = ground.standbys.filter((other) => other.node !== node && !other.node.promoted);
      if (!proxy || others.length === 0) return;
      const other = random.pick(others).node;
      const drop = random.chance(0.5);
      told(`its name leads to ${other.name}${drop ? ', connections dropped' : ''}`);
      proxy.target = other.port;
      if (drop) proxy.dropAll();
      await pause(random.between(500, 3000));
      if (random.chance(0.5)) proxy.target = node.port;
    },
  },
  {
    ...{ what: 'endpoint', weight: 2 },
    fits: (ground, { proxy }) => proxy !== undefined && ground.standbys.length > 1,
    async run(ground, { node, proxy }, random, told) {
      if (!proxy) return;
      told('its name leads to every standby in turn');
      proxy.targets = ground.standbys.map((standby) => standby.node.port);
      if (random.chance(0.5)) proxy.dropAll();
      await pause(random.between(500, 3000));
      proxy.target = node.port;
    },
  },
  {
    ...{ what: 'promotion', weight: 2 },
    // For good: at least one standby has to be left.
    fits: (ground, { node }) =>
      ground.standbys.filter((standby) => !standby.node.promoted).length > 1 && !node.promoted,
    async run(_ground, { node }, _random, told) {
      told('promoted beside the primary, for good');
      await despiteConflicts(() => node.promote());
    },
  },
];

/**
 * Changes a definition as a careful migration does: it gives way to transactions that use the table.
 * Without the time limit every read of the table would wait behind it, and transactions that read
 * outside themselves for the connections that those hold: an outage of the primary's own.
 */
async function migrate(ground: Ground, sql: string): Promise<void> {
  for (;;) {
    try {
      await ground.primary.query(`SET lock_timeout = '250ms'; ${sql}`);
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== '55P03') throw error;
      await pause(50);
    }
  }
}

/** Kills one server process, upon which all of them start anew, this far behind the primary. */
async function crash(node: Standby['node'], lagMs: number): Promise<void> {
  await node.setLag(lagMs);
  const sql = 'SELECT pid FROM pg_stat_activity WHERE application_name = $1 LIMIT 1';
  const [row] = await node.query(sql, [APPLICATION]);
  const pid = row?.['pid'];
  if (typeof pid !== 'number') return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself since it was looked up: then nothing crashes this time.
    if ((error as { code?: unknown }).code !== 'ESRCH') throw error;
  }
}

/** After a crash the postmaster starts its processes anew: connects are refused meanwhile. */
async function untilAnswers(node: Standby['node']): Promise<void> {
  for (;;) {
    try {
      await node.query('SELECT 1');
      return;
    } catch {
      await pause(20);
    }
  }
}
