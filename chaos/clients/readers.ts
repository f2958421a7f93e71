import { Op, QueryTypes, type Model } from 'sequelize';
import type { Register, Seen } from '../history';
import type { App, Within } from './app';

export type Values = Record<Register, Seen>;

/** One way to read the rows of a table. */
export interface Reader {
  readonly what: string;
  /** The tables that it tells of. */
  readonly tables: readonly string[];
  /** Takes several rows at a time. */
  readonly many?: boolean;
  /** Needs loaders, which can't be used in a transaction as they are. */
  readonly loads?: boolean;
  run(app: App, ids: readonly number[], within: Within): Promise<Values>;
}

type Found = Readonly<Record<string, unknown>> | null | undefined;

/** A row by id as the register of `table`. */
const one =
  (table: string, find: (app: App, id: number, within: Within) => Promise<unknown>) =>
  async (app: App, [id = 0]: readonly number[], within: Within): Promise<Values> => ({
    [`${table}/${id}`]: versionIn(await find(app, id, within)),
  });

/** Rows that hold their id. */
const several =
  (
    table: string,
    key: string,
    find: (app: App, ids: readonly number[], within: Within) => Promise<readonly unknown[]>,
  ) =>
  async (app: App, ids: readonly number[], within: Within): Promise<Values> => {
    const values: Values = {};
    for (const row of await find(app, ids, within)) {
      const { [key]: id, version } = row as Record<string, unknown>;
      values[`${table}/${String(id)}`] = version as number;
    }
    return values;
  };

const first = async (app: App, sql: string, within: Within): Promise<Found> => {
  const rows = await app.sequelize.query(sql, { ...within, type: QueryTypes.SELECT });
  return rows[0] as Found;
};

const single = (
  table: string,
  readers: Readonly<Record<string, (app: App, id: number, within: Within) => Promise<unknown>>>,
): Reader[] =>
  Object.entries(readers).map(([what, find]) => ({ what, tables: [table], run: one(table, find) }));

const listed = (
  table: string,
  key: string,
  readers: Readonly<
    Record<
      string,
      (app: App, ids: readonly number[], within: Within) => Promise<readonly unknown[]>
    >
  >,
): Reader[] =>
  Object.entries(readers).map(([what, find]) => ({
    ...{ what, tables: [table], many: true },
    run: several(table, key, find),
  }));

const loaded = (
  table: string,
  what: string,
  load: (app: App, id: number) => Promise<unknown>,
): Reader => ({ what, tables: [table], loads: true, run: one(table, (app, id) => load(app, id)) });

export const READERS: readonly Reader[] = [
  ...single('items', {
    'Item.findByPk': ({ models }, id, within) => models.Item.findByPk(id, within),
    'Item.findOne raw': ({ models }, id, within) =>
      models.Item.findOne({ where: { id }, raw: true, ...within }),
    'Item.max': async ({ models }, id, within) => ({
      version: await models.Item.max('version', { where: { id }, ...within }),
    }),
    'SELECT FROM items': (app, id, within) =>
      first(app, `SELECT i.version FROM items AS i WHERE i.id = ${id}`, within),
    'SELECT FROM item_view': (app, id, within) =>
      first(app, `SELECT version FROM item_view WHERE id = ${id}`, within),
    'SELECT item_version()': (app, id, within) =>
      first(app, `SELECT item_version(${id}) AS version`, within),
    'SELECT without a type': async (app, id, within) => {
      const [rows] = await app.sequelize.query(
        `SELECT version FROM items WHERE id = ${id}`,
        within,
      );
      return rows[0];
    },
    'a subquery': (app, id, within) =>
      first(app, `SELECT (SELECT max(version) FROM items WHERE id = ${id}) AS version`, within),
  }),
  ...listed('items', 'id', {
    'Item.findAll': ({ models }, ids, within) =>
      models.Item.findAll({ where: { id: { [Op.in]: ids } }, ...within }),
  }),
  ...listed('totals', 'itemId', {
    'Total.findAll': ({ models }, ids, within) =>
      models.Total.findAll({ where: { itemId: { [Op.in]: ids } }, ...within }),
  }),
  ...single('totals', {
    'Total.findByPk': ({ models }, id, within) => models.Total.findByPk(id, within),
    'SELECT FROM totals': (app, id, within) =>
      first(app, `SELECT version FROM totals WHERE item_id = ${id}`, within),
  }),
  {
    ...{ what: 'Item.findOne with its total', tables: ['items', 'totals'] },
    async run({ models }, [id = 0], within) {
      const item = await models.Item.findOne({ where: { id }, include: 'total', ...within });
      const { total } = (item ?? {}) as { total?: Found };
      return { [`items/${id}`]: versionIn(item), [`totals/${id}`]: versionIn(total) };
    },
  },
  loaded('items', 'loaders.item', (app, id) => app.loaders?.item.load(id) ?? nothing()),
  loaded('totals', 'loaders.total', (app, id) => app.loaders?.total.load(id) ?? nothing()),
  ...single('children', {
    'Child.findOne': ({ models }, parentId, within) =>
      models.Child.findOne({ where: { parentId }, ...within }),
    'SELECT FROM children': (app, id, within) =>
      first(app, `SELECT parent_version AS version FROM children WHERE parent_id = ${id}`, within),
  }),
  loaded('children', 'loaders.childrenOf', async (app, id) => {
    const children = (await app.loaders?.childrenOf.load(id)) ?? [];
    return children[0];
  }),
  ...single('parents', {
    'Parent.findByPk': ({ models }, id, within) => models.Parent.findByPk(id, within),
  }),
  ...listed('parents', 'id', {
    'Parent.findAll': ({ models }, ids, within) =>
      models.Parent.findAll({ where: { id: { [Op.in]: ids } }, ...within }),
  }),
  {
    ...{ what: 'Parent.findOne with its children', tables: ['parents', 'children'] },
    async run({ models }, [id = 0], within) {
      const parent = await models.Parent.findOne({ where: { id }, include: 'children', ...within });
      const { children = [] } = (parent ?? {}) as { children?: Found[] };
      return { [`parents/${id}`]: versionIn(parent), [`children/${id}`]: versionIn(children[0]) };
    },
  },
  ...single('readings', {
    'Reading.findOne': ({ models }, id, within) =>
      models.Reading.findOne({ where: { id }, ...within }),
    'SELECT FROM readings': (app, id, within) =>
      first(app, `SELECT version FROM readings WHERE id = ${id}`, within),
    'SELECT FROM a partition': (app, id, within) =>
      first(app, `SELECT version FROM readings_${id % 2} WHERE id = ${id}`, within),
  }),
  ...single('notes', {
    'Note.findByPk': ({ models }, id, within) => models.Note.findByPk(id, within),
  }),
  ...listed('notes', 'id', {
    'Note.findAll': ({ models }, ids, within) =>
      models.Note.findAll({ where: { id: { [Op.in]: ids } }, ...within }),
  }),
  ...listed('quiet', 'id', {
    'Quiet.findAll': ({ models }, ids, within) =>
      models.Quiet.findAll({ where: { id: { [Op.in]: ids } }, ...within }),
  }),
  ...single('quiet', {
    'SELECT FROM quiet': (app, id, within) =>
      first(app, `SELECT version FROM quiet WHERE id = ${id}`, within),
  }),
  ...single('late_copies', {
    'SELECT FROM late_copies': (app, id, within) =>
      first(app, `SELECT version FROM late_copies WHERE id = ${id}`, within),
  }),
  {
    ...{ what: 'ItemTag.findAll', tables: ['tags'] },
    async run({ models }, [itemId = 0], within) {
      const rows = await models.ItemTag.findAll({ where: { itemId }, ...within });
      const [tag, ...more] = rows.map((row) => row.get('tagId') as number);
      return { [`tags/${itemId}`]: more.length > 0 ? 'torn' : (tag ?? null) };
    },
  },
];

export function readersOf(table: string): Reader[] {
  return READERS.filter(({ tables }) => tables.includes(table));
}

function versionIn(row: unknown): Seen {
  return ((row as Found | Model)?.['version' as never] as number | null | undefined) ?? null;
}

function nothing(): Promise<never> {
  return Promise.reject(new Error('there are no loaders without this package'));
}
