import { literal } from 'sequelize';
import type { Models, RowValues } from './bed';
import type { Routes } from './policy';
import { listShows, rowShows, type Freshness, type OperationWrites } from './staleness';
import type { RecordedOperation, Step } from './workload';

const LIST_LIMIT = 10;
const listHas = listShows(LIST_LIMIT);

/** Told of every read. */
export type OnRead = (freshness: Freshness) => unknown;

/** Runs the waves of one recorded operation, one after the other, the steps of each at once. */
export async function runWaves(
  { user, waves }: RecordedOperation,
  routes: Routes,
  writes: OperationWrites,
  onRead: OnRead,
): Promise<void> {
  const run = async (step: Step) => {
    if (step.kind === 'row' || step.kind === 'list') {
      const { models, useMaster } = await routes.read(step.table);
      onRead(await read(step, user, models, useMaster, writes));
    } else {
      await write(step, user, routes.write, writes);
      await routes.wrote(step.table);
    }
  };
  for (const wave of waves) await Promise.all(wave.map(run));
}

async function read(
  { kind, table, key }: Step,
  user: number,
  models: Models,
  useMaster: boolean | undefined,
  writes: OperationWrites,
): Promise<Freshness> {
  const model = modelOf(models, table);
  const options = { raw: true, ...(useMaster !== undefined && { useMaster }) } as const;
  if (kind === 'row') {
    const judge = writes.expect(`${table}.${key}`, rowShows);
    const row = (await model.findByPk(key, options)) as unknown as RowValues | null;
    return judge(row?.version);
  }
  const judge = writes.expect(`${table} of ${user}`, listHas);
  const rows = (await model.findAll({
    where: { owner: user },
    order: [['id', 'DESC']],
    limit: LIST_LIMIT,
    ...options,
  })) as unknown as RowValues[];
  return judge(rows.map(({ id }) => id));
}

async function write(
  { kind, table, key }: Step,
  user: number,
  models: Models,
  writes: OperationWrites,
): Promise<void> {
  const model = modelOf(models, table);
  if (kind === 'insert') {
    const row = await model.create({ owner: user, version: 0, body: 'x'.repeat(100) });
    writes.wrote(`${table} of ${user}`, row.get('id') as number);
    return;
  }
  const [, [row]] = await model.update(
    { version: literal('version + 1') },
    { where: { id: key }, returning: true },
  );
  if (!row) throw new Error(`there is no row ${key} to change`);
  writes.wrote(`${table}.${key}`, row.get('version') as number);
}

function modelOf(models: Models, table: number) {
  const model = models.tables[table];
  if (!model) throw new Error(`the workload has no table ${table}`);
  return model;
}
