import { Op, QueryTypes, col, fn, literal, type Model } from 'sequelize';
import type { FreshReads } from '../../src';
import { byKey, createLoaders, hasMany } from '../../src/dataloader';
import type { Row, Scene, World } from './ground';

export interface MatrixRead {
  readonly name: string;
  /** What it saw, in a form that can be compared and names no scene. */
  readonly run: (scene: Scene, world: World) => Promise<unknown>;
  /** Sees nothing of other writes. */
  readonly onlyAfter?: string;
  /** What it does can't be told: it counts as a write to everything. */
  readonly doubt?: boolean;
}

type Run = MatrixRead['run'];

const big = { n: { [Op.gte]: 100 } };
const SELECT = { type: QueryTypes.SELECT } as const;
const BIG = 'n >= 100 AND deleted_at IS NULL';

const numbers = (rows: unknown): number[] =>
  (rows as (Model | { n: number })[])
    .map((row) => ('get' in row ? (row.get('n') as number) : row.n))
    .sort((one, other) => one - other);

/** Of owners with their items, as `include` gives them. */
const nested = (owners: unknown, of = 'items'): number[][] =>
  (owners as Model[]).map((owner) => numbers(owner.get(of) ?? []));

const raw =
  (text: (scene: Scene) => string, options: object = SELECT): Run =>
  (scene, { sequelize }) =>
    sequelize.query(text(scene), options);

const finders: Record<string, Run> = {
  findAll: async ({ owner }, { Item }) =>
    numbers(await Item.findAll({ where: { ownerId: owner, ...big } })),
  'findAll raw': async ({ owner }, { Item }) =>
    numbers(
      await Item.findAll({ where: { ownerId: owner, ...big }, raw: true, attributes: ['n'] }),
    ),
  findOne: async ({ owner }, { Item }) =>
    (await Item.findOne({ where: { ownerId: owner, ...big }, order: [['n', 'DESC']] }))?.get('n'),
  findByPk: async ({ small, big: id, stray, deleted }, { Item }) => {
    const rows = await Promise.all([small, id, stray, deleted].map((key) => Item.findByPk(key)));
    return rows.map((row) => row && [row.get('n'), row.get('ownerId') === null]);
  },
  findAndCountAll: async ({ owner }, { Item }) => {
    const found = await Item.findAndCountAll({ where: { ownerId: owner, ...big } });
    return [found.count, numbers(found.rows)];
  },
  count: ({ owner }, { Item }) =>
    Item.count({ where: { ownerId: owner, n: { [Op.notIn]: [1, 200] } } }),
  'count with include': ({ owner }, { Owner }) =>
    Owner.count({
      where: { id: owner },
      include: [{ association: 'items', where: { n: { [Op.notIn]: [1, 200] } } }],
    }),
  'count with group': async ({ owner }, { Item }) =>
    await Item.count({ where: { ownerId: owner, ...big }, group: ['n'] }),
  sum: ({ owner }, { Item }) => Item.sum('n', { where: { ownerId: owner, ...big } }),
  min: ({ owner }, { Item }) => Item.min('n', { where: { ownerId: owner, ...big } }),
  max: ({ owner }, { Item }) => Item.max('n', { where: { ownerId: owner, ...big } }),
  aggregate: ({ owner }, { Item }) =>
    Item.aggregate('n', 'sum', { where: { ownerId: owner, ...big }, plain: true, dataType: 'int' }),
  'findAll with a group': ({ owner }, { Item }) =>
    Item.findAll({
      where: { ownerId: owner, ...big },
      attributes: [[fn('count', col('id')), 'c'], 'n'],
      group: ['n'],
      order: ['n'],
      raw: true,
    }),
  'findAll with a subquery in an attribute': ({ owner }, { Owner }) =>
    Owner.findAll({
      where: { id: owner },
      attributes: [
        [literal(`(SELECT sum(n)::int FROM items WHERE owner_id = ${owner} AND ${BIG})`), 's'],
      ],
      raw: true,
    }),
  'findAll with a subquery in the condition': async ({ owner }, { Owner }) =>
    (
      await Owner.findAll({
        where: {
          [Op.and]: [
            { id: owner },
            literal(`200 = (SELECT sum(n) FROM items WHERE owner_id = ${owner} AND ${BIG})`),
          ],
        },
      })
    ).length,
  include: async ({ owner }, { Owner }) =>
    nested(
      await Owner.findAll({
        where: { id: owner },
        include: [{ association: 'items', where: big, required: false }],
      }),
    ),
  'include, separate': async ({ owner }, { Owner }) =>
    nested(
      await Owner.findAll({
        where: { id: owner },
        include: [{ association: 'items', where: big, separate: true }],
      }),
    ),
  'include, separate with a limit': async ({ owner }, { Owner }) =>
    nested(
      await Owner.findAll({
        where: { id: owner },
        include: [{ association: 'items', where: big, separate: true, limit: 9 }],
      }),
    ),
  'include, nested': async ({ owner }, { Owner }) =>
    nested(
      await Owner.findAll({
        where: { id: owner },
        include: [{ association: 'items', where: big, include: [{ association: 'tag' }] }],
      }),
    ),
  'include with a limit': async ({ owner }, { Owner }) =>
    nested(
      await Owner.findAll({
        where: { id: owner },
        limit: 5,
        include: [{ association: 'items', where: big, required: true }],
      }),
    ),
  'include, hasOne': async ({ owner }, { Owner }) =>
    (
      await Owner.findAll({
        where: { id: owner },
        include: [{ association: 'main', where: { n: { [Op.notIn]: [1] } } }],
        order: [[literal('"main"."n"'), 'DESC']],
      })
    ).map((row) => (row.get('main') as Model).get('n')),
  'include, belongsToMany': async ({ owner }, { Owner }) =>
    (
      await Owner.findAll({
        where: { id: owner },
        include: [{ association: 'tags', through: { where: big } }],
      })
    ).map((row) => numbers((row.get('tags') as Model[]).map((tag) => tag.get('Item')))),
};

const associations: Record<string, Run> = {
  'hasMany get': async (scene, { owner }) => numbers(await owner(scene).getItems({ where: big })),
  'hasMany count': (scene, { owner }) =>
    owner(scene).countItems({ where: { n: { [Op.notIn]: [1, 200] } } }),
  'hasMany has': async (scene, { owner }) =>
    await Promise.all([scene.big, scene.stray].map((id) => owner(scene).hasItem(id))),
  'hasOne get': async (scene, { owner }) =>
    ((await owner(scene).getMain({ where: big, order: [['n', 'DESC']] })) as Row | null)?.get('n'),
  'belongsTo get, with include': async (scene, { item }) => {
    const child = item(scene.small, { ownerId: scene.owner });
    const options = { include: [{ association: 'items', where: big, required: false }] };
    const parent = (await child.getOwner(options)) as Row | null;
    return parent && nested([parent]);
  },
  'belongsToMany get': async (scene, { owner }) =>
    numbers(
      ((await owner(scene).getTags({ through: { where: big } })) as Row[]).map((tag) =>
        tag.get('Item'),
      ),
    ),
  'belongsToMany count': (scene, { owner }) => owner(scene).countTags(),
  'belongsToMany has': async (scene, { owner }) =>
    await Promise.all([2, 5].map((tag) => owner(scene).hasTag(tag))),
  reload: (scene, { item }) =>
    Promise.all(
      [scene.small, scene.big].map((id) =>
        item(id)
          .reload()
          .then(
            (row) => [row.get('n'), row.get('ownerId') === null],
            () => 'gone',
          ),
      ),
    ),
  'reload with include': (scene, { owner }) =>
    owner(scene)
      .reload({ include: [{ association: 'items', where: big, required: false }] })
      .then(
        (row) => nested([row]),
        () => 'gone',
      ),
};

const texts: Record<string, Run> = {
  'SELECT, type SELECT': raw(
    ({ owner }) => `SELECT sum(n)::int AS s FROM items WHERE owner_id = ${owner} AND ${BIG}`,
  ),
  'SELECT, no type': async ({ owner }, { sequelize }) =>
    (
      await sequelize.query(
        `SELECT sum(n)::int AS s FROM items WHERE owner_id = ${owner} AND ${BIG}`,
      )
    )[0],
  'SELECT, plain': raw(
    ({ owner }) => `SELECT sum(n)::int AS s FROM items WHERE owner_id = ${owner} AND ${BIG}`,
    { plain: true },
  ),
  'SELECT, model': async ({ owner }, { sequelize, Item }) =>
    numbers(
      await sequelize.query(`SELECT * FROM items WHERE owner_id = ${owner} AND ${BIG}`, {
        model: Item,
        mapToModel: true,
      }),
    ),
  'SELECT with replacements': ({ owner }, { sequelize }) =>
    sequelize.query(
      `SELECT sum(n)::int AS s FROM items WHERE owner_id = :owner AND n >= :n AND deleted_at IS NULL`,
      { ...SELECT, replacements: { owner, n: 100 } },
    ),
  'SELECT with bind': ({ owner }, { sequelize }) =>
    sequelize.query(
      `SELECT sum(n)::int AS s FROM items WHERE owner_id = $owner AND n >= $n AND deleted_at IS NULL`,
      { ...SELECT, bind: { owner, n: 100 } },
    ),
  'SELECT as an object': ({ owner }, { sequelize }) =>
    sequelize.query(
      {
        query: `SELECT sum(n)::int AS s FROM items WHERE owner_id = ? AND ${BIG}`,
        values: [owner],
      },
      SELECT,
    ),
  'SELECT in capitals, with quotes, a schema and comments': raw(
    ({ owner }) =>
      `-- a\nSELECT SUM(n)::int AS s FROM/**/"public"."items" WHERE owner_id = ${owner} AND ${BIG}`,
  ),
  'SELECT with a Unicode escape': raw(
    ({ owner }) =>
      `SELECT sum(n)::int AS s FROM U&"\\0069tems" WHERE owner_id = ${owner} AND ${BIG}`,
  ),
  'WITH ... SELECT': raw(
    ({ owner }) =>
      `WITH w AS (SELECT n FROM items WHERE owner_id = ${owner} AND ${BIG}) SELECT sum(n)::int AS s FROM w`,
  ),
  'a lateral join': raw(
    ({ owner }) => `SELECT i.s FROM owners o, LATERAL (SELECT sum(n)::int AS s FROM items
      WHERE owner_id = o.id AND ${BIG}) i WHERE o.id = ${owner}`,
  ),
  UNION: raw(
    ({ owner }) =>
      `SELECT 0 AS n UNION ALL SELECT n FROM items WHERE owner_id = ${owner} AND ${BIG} ORDER BY n`,
  ),
  'json of whole rows': raw(
    ({ owner }) =>
      `SELECT json_agg(i.n ORDER BY i.n) AS a FROM items i WHERE owner_id = ${owner} AND ${BIG}`,
  ),
  'a join with an alias of another table': raw(
    ({ owner }) =>
      `SELECT sum(sights.n)::int AS s FROM owners JOIN items AS sights ON sights.owner_id = owners.id
       WHERE owners.id = ${owner} AND sights.${BIG}`,
  ),
  'a view': raw(
    ({ owner }) => `SELECT sum(n)::int AS s FROM open_items WHERE owner_id = ${owner} AND n >= 100`,
  ),
  'a view of a view': raw(
    ({ owner }) => `SELECT sum(n)::int AS s FROM big_items WHERE owner_id = ${owner}`,
  ),
  'a function': raw(({ owner }) => `SELECT owner_total(${owner})`),
  'a function in PL/pgSQL': raw(({ owner }) => `SELECT * FROM owner_count(${owner})`),
  'a function in attribute notation': raw(
    ({ owner }) => `SELECT o.big_total FROM owners o WHERE o.id = ${owner}`,
  ),
  'a row-level security policy': raw(
    ({ owner }) => `SELECT total FROM vault WHERE owner_id = ${owner}`,
  ),
  'a read-only transaction': ({ owner }, { sequelize, Item }) =>
    sequelize.transaction({ readOnly: true }, (transaction) =>
      Item.sum('n', { where: { ownerId: owner, ...big }, transaction }),
    ),
  'a transaction': ({ owner }, { sequelize, Item }) =>
    sequelize.transaction((transaction) =>
      Item.sum('n', { where: { ownerId: owner, ...big }, transaction }),
    ),
  'queryInterface select': async ({ owner }, { sequelize, Item }) =>
    numbers(
      await sequelize
        .getQueryInterface()
        .select(Item, 'items', { where: { owner_id: owner, ...big, deleted_at: null } }),
    ),
  'queryInterface rawSelect': ({ owner }, { sequelize }) =>
    sequelize.getQueryInterface().rawSelect(
      'items',
      {
        where: { owner_id: owner, ...big, deleted_at: null },
        attributes: [[fn('sum', col('n')), 's']],
        dataType: 'int',
      } as never,
      's',
    ),
};

function loaders(reads: FreshReads, { Item, Owner }: World): Record<string, Run> {
  const { item, itemsOf } = createLoaders(reads, {
    item: byKey(Item as never),
    itemsOf: hasMany(Owner.associations['items'] as never, { where: big as never }),
  });
  return {
    'loader byKey': async ({ small, big: id, stray, deleted }) => {
      const rows = (await item.loadMany([small, id, stray, deleted])) as (Model | null)[];
      return rows.map((row) => row && [row.get('n'), row.get('ownerId') === null]);
    },
    'loader hasMany': async ({ owner }) => numbers(await itemsOf.load(owner)),
  };
}

const list = (runs: Record<string, Run>): MatrixRead[] =>
  Object.entries(runs).map(([name, run]) => ({ name, run }));

export const matrixReads = (reads: FreshReads, world: World): readonly MatrixRead[] => [
  ...list({ ...finders, ...associations, ...texts, ...loaders(reads, world) }),
  {
    name: 'SQL in a string',
    run: raw(
      ({ owner }) =>
        `SELECT query_to_xml('SELECT sum(n)::int AS s FROM items WHERE owner_id = ${owner} AND ${BIG}', true, true, '')::text`,
    ),
    doubt: true,
  },
  {
    name: 'a materialized view',
    run: raw(({ owner }) => `SELECT total FROM item_totals WHERE owner_id = ${owner}`),
    onlyAfter: 'REFRESH MATERIALIZED VIEW',
  },
];
