import type { Model } from 'sequelize';
import { QueryTypes } from 'sequelize';
import type { App, Within } from './app';
import type { Row } from './rows';
import type { Family } from './schema';

/** One way to give a row its next version. */
export interface Writer {
  readonly what: string;
  readonly family: Family;
  /** Takes the row away, or brings it back. */
  readonly turns?: 'away' | 'back';
  /** Several commits, if not run in a transaction. */
  readonly inSteps?: boolean;
  run(app: App, row: Row, version: number, within: Within): Promise<unknown>;
}

type Run = Writer['run'];

const raw =
  (sql: (row: Row, version: number) => string): Run =>
  (app, row, version, within) =>
    app.sequelize.query(sql(row, version), within);

/** Raw SQL passed off as a read. */
const select =
  (sql: (row: Row, version: number) => string): Run =>
  (app, row, version, within) =>
    app.sequelize.query(sql(row, version), { ...within, type: QueryTypes.SELECT });

const of = (family: Family, writers: Readonly<Record<string, Run>>): Writer[] =>
  Object.entries(writers).map(([what, run]) => ({ what, family, run }));

export const WRITERS: readonly Writer[] = [
  ...of('items', {
    'Item.update': ({ models }, { id }, version, within) =>
      models.Item.update({ version }, { where: { id }, ...within }),
    'item.save': async ({ models }, { id }, version, within) => {
      const item = models.Item.build({ id, version: version - 1 }, { isNewRecord: false });
      await item.set('version', version).save(within);
    },
    'Item.increment': ({ models }, { id, committed }, version, within) =>
      models.Item.increment({ version: version - committed }, { where: { id }, ...within }),
    'Item.upsert': ({ models }, { id }, version, within) =>
      models.Item.upsert({ id, version }, within),
    'Item.bulkCreate': ({ models }, { id }, version, within) =>
      models.Item.bulkCreate([{ id, version }], { updateOnDuplicate: ['version'], ...within }),
    'UPDATE items': raw(
      ({ id }, version) => `UPDATE items SET version = ${version} WHERE id = ${id}`,
    ),
    'UPDATE item_view': raw(
      ({ id }, version) => `UPDATE item_view SET version = ${version} WHERE id = ${id}`,
    ),
    'WITH ... UPDATE items': select(
      ({ id }, version) =>
        `WITH changed AS (UPDATE items SET version = ${version} WHERE id = ${id} RETURNING id)
         SELECT id FROM changed`,
    ),
    'SELECT set_item()': select(({ id }, version) => `SELECT set_item(${id}, ${version})`),
  }),
  ...of('parents', {
    'Parent.update': ({ models }, { id }, version, within) =>
      models.Parent.update({ version }, { where: { id }, ...within }),
    'UPDATE parents': raw(
      ({ id }, version) => `UPDATE parents SET version = ${version} WHERE id = ${id}`,
    ),
  }),
  {
    ...{ what: 'Parent.destroy', family: 'parents', turns: 'away' },
    run: ({ models }, { id }, _version, within) =>
      models.Parent.destroy({ where: { id }, ...within }),
  },
  {
    ...{ what: 'INSERT INTO parents, children', family: 'parents', turns: 'back' },
    run: raw(
      ({ id }, version) =>
        `WITH parent AS (INSERT INTO parents VALUES (${id}, ${version}) RETURNING id, version)
         INSERT INTO children SELECT id, id, version FROM parent`,
    ),
  },
  ...of('readings', {
    'Reading.update': ({ models }, { id }, version, within) =>
      models.Reading.update({ version }, { where: { id }, ...within }),
    'UPDATE of a partition': raw(
      ({ id }, version) => `UPDATE readings_${id % 2} SET version = ${version} WHERE id = ${id}`,
    ),
  }),
  ...of('notes', {
    'Note.update': ({ models }, { id }, version, within) =>
      models.Note.update({ version }, { where: { id }, ...within }),
  }),
  {
    ...{ what: 'Note.destroy', family: 'notes', turns: 'away' },
    run: ({ models }, { id }, _version, within) =>
      models.Note.destroy({ where: { id }, ...within }),
  },
  {
    ...{ what: 'note.destroy', family: 'notes', turns: 'away' },
    run: ({ models }, { id }, _version, within) =>
      models.Note.build({ id }, { isNewRecord: false }).destroy(within),
  },
  {
    ...{ what: 'Note.create', family: 'notes', turns: 'back' },
    run: ({ models }, { id }, version, within) => models.Note.create({ id, version }, within),
  },
  {
    ...{ what: 'Note.findOrCreate', family: 'notes', turns: 'back' },
    run: ({ models }, { id }, version, within) =>
      models.Note.findOrCreate({ where: { id }, defaults: { version }, ...within }),
  },
  {
    ...{ what: 'Note.bulkCreate', family: 'notes', turns: 'back' },
    run: ({ models }, { id }, version, within) => models.Note.bulkCreate([{ id, version }], within),
  },
  {
    ...{ what: 'item.setTags', family: 'tags', inSteps: true },
    run: ({ models }, { id }, version, within) => {
      const item = models.Item.build({ id }, { isNewRecord: false }) as Tagged;
      return item.setTags([version], within);
    },
  },
  ...of('quiet', {
    'Quiet.update': ({ models }, { id }, version, within) =>
      models.Quiet.update({ version }, { where: { id }, ...within }),
  }),
];

interface Tagged extends Model {
  setTags(tags: number[], options: Within): Promise<void>;
}

/** The ways to write a row as it stands: what is not there can only be brought back. */
export function writersOf(row: Row): Writer[] {
  return WRITERS.filter(
    ({ family, turns }) => family === row.family && (turns === 'back') === !row.present,
  );
}
