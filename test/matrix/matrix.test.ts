import { expect } from 'chai';
import { Model, QueryTypes, literal } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { GROUND, connectWorld, heirOf, scene, scenes, type Scene, type World } from './ground';
import { matrixReads, type MatrixRead } from './reads';
import { WRITES, type MatrixWrite } from './writes';

const AT_ONCE = 10;
/** Failing cells that are printed. */
const SHOWN = 300;

interface Cell {
  readonly name: string;
  readonly write: MatrixWrite;
  readonly read: MatrixRead;
  readonly scene: Scene;
}

interface Outcome {
  failed: string[];
  /** Cells whose write changed what the read sees: where a replica would have been wrong. */
  telling: number;
  mirrors: number;
}

/** Reads of tables that no write of the matrix has to do with: a replica's, after every write. */
const MIRRORS: ((world: World) => Promise<boolean>)[] = [
  async ({ Sight }) => inRecovery(await Sight.findByPk(1, { attributes: [RECOVERY] })),
  async ({ Sight }) =>
    inRecovery(
      await Sight.findOne({ attributes: [RECOVERY], include: [{ association: 'visits' }] }),
    ),
  async ({ sequelize }) => inRecovery(await raw(sequelize, 'sights JOIN visits USING (id)')),
  async ({ sequelize }) => inRecovery(await raw(sequelize, 'visited')),
];
const RECOVERY: [ReturnType<typeof literal>, string] = [literal('pg_is_in_recovery()'), 'standby'];

async function raw(sequelize: World['sequelize'], from: string): Promise<object | undefined> {
  const [row] = await sequelize.query<object>(
    `SELECT pg_is_in_recovery() AS standby FROM ${from} LIMIT 1`,
    { type: QueryTypes.SELECT },
  );
  return row;
}

function inRecovery(row: object | null | undefined): boolean {
  const plain: unknown = row instanceof Model ? row.get({ plain: true }) : row;
  return (plain as { standby: boolean }).standby;
}

describe('every way to write x every way to read, on paused replicas', () => {
  let database: TestDatabase;
  let world: World;
  let reads: FreshReads;
  let cells: Cell[];
  /** What each read sees on a replica: the same for every scene of a kind. */
  const old = new Map<string, string>();

  before(async () => {
    database = await createDatabase(GROUND);
    world = connectWorld(database);
    reads = freshReads(world.sequelize, { freshness: { mode: 'fixed', windowMs: 600_000 } });
    const plain = database.connect();
    const all = matrixReads(reads, world);
    let number = 0;
    cells = WRITES.flatMap((write) =>
      all
        .filter(({ onlyAfter }) => onlyAfter === undefined || onlyAfter === write.name)
        .map((read) => {
          const owner = ++number;
          const restore = async () => {
            if (write.alone) await plain.query(heirOf(owner));
          };
          return {
            name: `${write.name} x ${read.name}`,
            write,
            read,
            scene: scene(owner, restore),
          };
        }),
    );
    const heirs = cells.filter(({ write }) => write.alone).map((cell) => cell.scene.owner);
    await database.run(scenes(cells.length, heirs));
    await reads.ready();
    await database.pauseReplicas();
  });

  after(() => database.close());

  const see = async ({ read, scene }: Cell) => JSON.stringify(await read.run(scene, world));

  async function inCell(cell: Cell, outcome: Outcome): Promise<void> {
    const { write, read, scene, name } = cell;
    const kind = `${read.name}, ${String(write.alone)}`;
    await scene.restore();
    await reads.runOperation({ name }, async () => {
      if (!old.has(kind)) old.set(kind, await reads.useReplica(() => see(cell)));
      await write.run(scene, world);
      const seen = await see(cell);
      const truth = await reads.usePrimary(() => see(cell));
      if (seen !== truth) outcome.failed.push(`${name}: saw ${seen} instead of ${truth}`);
      if (truth !== old.get(kind)) outcome.telling++;
      if (write.doubt || read.doubt) return;
      const mirror = MIRRORS[scene.owner % MIRRORS.length]!;
      if (await mirror(world)) outcome.mirrors++;
      else outcome.failed.push(`${name}: the read of another table was answered by the primary`);
    });
  }

  async function run(queue: Cell[], outcome: Outcome): Promise<void> {
    for (let cell = queue.pop(); cell; cell = queue.pop()) {
      try {
        await inCell(cell, outcome);
      } catch (error) {
        outcome.failed.push(`${cell.name}: ${String(error)}`);
      }
    }
  }

  it('shows each write to each read, and leaves reads of other tables on replicas', async function () {
    this.timeout(300_000);
    const outcome: Outcome = { failed: [], telling: 0, mirrors: 0 };
    const began = performance.now();
    const alone = cells.filter(({ write }) => write.alone);
    const free = cells.filter(({ write }) => !write.alone);
    const workers = Array.from({ length: AT_ONCE }, () => run(free, outcome));
    await Promise.all([run(alone, outcome), ...workers]);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const summary =
      `${cells.length} cells (${WRITES.length} writes x ${new Set(cells.map(({ read }) => read)).size} reads) in ${seconds} s: ` +
      `${outcome.telling} where the replica's answer is another, ${outcome.mirrors} mirrors on a replica, ` +
      `${outcome.failed.length} failures`;
    console.log(`      ${summary}`);
    if (outcome.failed.length > 0) {
      expect.fail([summary, ...outcome.failed.slice(0, SHOWN)].join('\n'));
    }
    // Cells that any router passes prove nothing.
    expect(outcome.telling).to.be.above(cells.length * 0.85);
  });
});
