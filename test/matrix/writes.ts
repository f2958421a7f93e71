import { QueryTypes, literal } from 'sequelize';
import type { Scene, World } from './ground';

export interface MatrixWrite {
  readonly name: string;
  readonly run: (scene: Scene, world: World) => Promise<unknown>;
  /** Takes rows of all scenes at once, so that its cells run one after the other. */
  readonly alone?: boolean;
  /** What it writes can't be told: everything counts as written, and no replica is left. */
  readonly doubt?: boolean;
}

type Run = MatrixWrite['run'];

const SELECT = { type: QueryTypes.SELECT };
const update = (id: number) => `UPDATE items SET n = 150 WHERE id = ${id}`;
const raw =
  (text: (scene: Scene) => string, options: object = {}): Run =>
  (scene, { sequelize }) =>
    sequelize.query(text(scene), options);

const models: Record<string, Run> = {
  create: ({ owner }, { Item }) => Item.create({ ownerId: owner, n: 300 }),
  'create without returning': ({ owner }, { Item }) =>
    Item.create({ ownerId: owner, n: 300 }, { returning: false, hooks: false }),
  'create with include': ({ owner, spare }, { Tag }) =>
    Tag.create(
      { id: spare, items: [{ ownerId: owner, n: 300 }] },
      { include: [{ association: 'items' }] },
    ),
  'save of a new instance': ({ owner }, { Item }) => Item.build({ ownerId: owner, n: 300 }).save(),
  save: ({ small }, { item }) => item(small, { n: 1 }).set('n', 150).save(),
  'update of an instance': ({ small }, { item }) => item(small).update({ n: 150 }),
  'static update': ({ small }, { Item }) => Item.update({ n: 150 }, { where: { id: small } }),
  'static update returning': ({ small }, { Item }) =>
    Item.update({ n: 150 }, { where: { id: small }, returning: true }),
  'static update with a literal': ({ small }, { Item }) =>
    Item.update({ n: literal('n + 149') }, { where: { id: small } }),
  'update with individualHooks': ({ small }, { Item }) =>
    Item.update({ n: 150 }, { where: { id: small }, individualHooks: true }),
  increment: ({ small }, { item }) => item(small).increment('n', { by: 149 }),
  decrement: ({ big }, { item }) => item(big).decrement('n', { by: 50 }),
  'static increment': ({ small }, { Item }) => Item.increment({ n: 149 }, { where: { id: small } }),
  'static decrement': ({ big }, { Item }) => Item.decrement('n', { by: 50, where: { id: big } }),
  bulkCreate: ({ owner }, { Item }) =>
    Item.bulkCreate([
      { ownerId: owner, n: 300 },
      { ownerId: owner, n: 301 },
    ]),
  'bulkCreate with updateOnDuplicate': ({ owner, small }, { Item }) =>
    Item.bulkCreate([{ id: small, ownerId: owner, n: 150 }], {
      updateOnDuplicate: ['n'],
      conflictAttributes: ['id'],
    }),
  'bulkCreate with ignoreDuplicates': ({ owner, small, spare }, { Item }) =>
    Item.bulkCreate(
      [
        { id: small, ownerId: owner, n: 150 },
        { id: spare, ownerId: owner, n: 300 },
      ],
      { ignoreDuplicates: true },
    ),
  'bulkCreate with individualHooks': ({ owner }, { Item }) =>
    Item.bulkCreate([{ ownerId: owner, n: 300 }], { individualHooks: true }),
  'upsert of an old row': ({ owner, small }, { Item }) =>
    Item.upsert({ id: small, ownerId: owner, n: 150 }),
  'upsert of a new row': ({ owner, spare }, { Item }) =>
    Item.upsert({ id: spare, ownerId: owner, n: 300 }),
  'paranoid destroy': ({ big }, { item }) => item(big).destroy(),
  'static paranoid destroy': ({ big }, { Item }) => Item.destroy({ where: { id: big } }),
  'forced destroy': ({ big }, { item }) => item(big).destroy({ force: true }),
  'static forced destroy': ({ big }, { Item }) => Item.destroy({ where: { id: big }, force: true }),
  'destroy with individualHooks': ({ big }, { Item }) =>
    Item.destroy({ where: { id: big }, individualHooks: true }),
  restore: ({ deleted }, { item }) => item(deleted, { deletedAt: new Date() }).restore(),
  'static restore': ({ deleted }, { Item }) => Item.restore({ where: { id: deleted } }),
  findOrCreate: ({ owner }, { Item }) =>
    Item.findOrCreate({ where: { code: `new${owner}` }, defaults: { ownerId: owner, n: 300 } }),
  'findOrCreate in a transaction': ({ owner }, { Item, sequelize }) =>
    sequelize.transaction((transaction) =>
      Item.findOrCreate({
        where: { code: `new${owner}` },
        defaults: { ownerId: owner, n: 300 },
        transaction,
      }),
    ),
  findCreateFind: ({ owner }, { Item }) =>
    Item.findCreateFind({ where: { code: `new${owner}` }, defaults: { ownerId: owner, n: 300 } }),
  'a model with a trigger': ({ owner }, { Order }) => Order.create({ ownerId: owner }),
  'destroy of a parent': (scene, { owner }) => owner(scene).destroy(),
  'static update of a parent key': ({ owner }, { Owner }) =>
    Owner.update({ id: owner + 5_000_000 }, { where: { id: owner } }),
};

const associations: Record<string, Run> = {
  'hasMany add': (scene, { owner }) => owner(scene).addItem(scene.stray),
  'hasMany set': (scene, { owner }) => owner(scene).setItems([scene.small, scene.stray]),
  'hasMany set to none': (scene, { owner }) => owner(scene).setItems([]),
  'hasMany remove': (scene, { owner }) => owner(scene).removeItem(scene.big),
  'hasMany create': (scene, { owner }) => owner(scene).createItem({ n: 300 }),
  'hasOne set': (scene, { owner, item }) => owner(scene).setMain(item(scene.stray)),
  'hasOne create': (scene, { owner }) => owner(scene).createMain({ n: 300 }),
  'belongsTo set': (scene, { owner, item }) => item(scene.stray).setOwner(owner(scene)),
  'belongsTo create': ({ big, owner }, { item }) =>
    item(big).createOwner({ id: owner + 6_000_000 }),
  'belongsToMany add': (scene, { owner }) => owner(scene).addTag(5, { through: { n: 300 } }),
  'belongsToMany add, changing the through row': (scene, { owner }) =>
    owner(scene).addTag(1, { through: { n: 150 } }),
  'belongsToMany set': (scene, { owner }) => owner(scene).setTags([1]),
  'belongsToMany remove': (scene, { owner }) => owner(scene).removeTag(2),
  'belongsToMany create': (scene, { owner }) =>
    owner(scene).createTag({ id: scene.spare }, { through: { n: 300 } }),
};

const queryInterface: Record<string, Run> = {
  'queryInterface bulkInsert': ({ owner }, { sequelize }) =>
    sequelize.getQueryInterface().bulkInsert('items', [{ owner_id: owner, n: 300 }]),
  'queryInterface bulkUpdate': ({ small }, { sequelize }) =>
    sequelize.getQueryInterface().bulkUpdate('items', { n: 150 }, { id: small }),
  'queryInterface bulkDelete': ({ big }, { sequelize }) =>
    sequelize.getQueryInterface().bulkDelete('items', { id: big }),
  'queryInterface upsert': ({ small, owner }, { sequelize, Item }) =>
    sequelize
      .getQueryInterface()
      .upsert('items', { id: small, owner_id: owner, n: 150 }, { n: 150 }, { id: small }, {
        model: Item,
      } as never),
};

const statements: Record<string, Run> = {
  INSERT: raw(({ owner }) => `INSERT INTO items (owner_id, n) VALUES (${owner}, 300)`),
  'INSERT of a SELECT': raw(
    ({ owner }) => `INSERT INTO items (owner_id, n) SELECT id, 300 FROM owners WHERE id = ${owner}`,
  ),
  'INSERT ... ON CONFLICT': raw(
    ({ small }) =>
      `INSERT INTO items (id, n) VALUES (${small}, 1) ON CONFLICT (id) DO UPDATE SET n = 150`,
  ),
  UPDATE: raw(({ small }) => update(small)),
  'UPDATE with a type': raw(({ small }) => update(small), { type: QueryTypes.UPDATE }),
  'UPDATE ... FROM': raw(
    ({ owner }) =>
      `UPDATE items i SET n = i.n + 149 FROM owners o WHERE o.id = i.owner_id AND o.id = ${owner}`,
  ),
  'UPDATE with a schema, quotes, a comment and capitals': raw(
    ({ small }) => `/* SELECT */ uPdAtE "public" . "items" SET n = 150 WHERE id = ${small}`,
  ),
  'UPDATE with replacements': ({ small }, { sequelize }) =>
    sequelize.query('UPDATE items SET n = :n WHERE id = :id', {
      replacements: { n: 150, id: small },
    }),
  'UPDATE with bind': ({ small }, { sequelize }) =>
    sequelize.query('UPDATE items SET n = $n WHERE id = $id', { bind: { n: 150, id: small } }),
  'UPDATE as an object': ({ small }, { sequelize }) =>
    sequelize.query({ query: 'UPDATE items SET n = ? WHERE id = ?', values: [150, small] }),
  DELETE: raw(({ big }) => `DELETE FROM items WHERE id = ${big}`),
  'DELETE ... USING': raw(
    ({ owner }) => `DELETE FROM items i USING owners o WHERE o.id = i.owner_id AND o.id = ${owner}`,
  ),
  MERGE: raw(
    ({ small }) => `MERGE INTO items i USING (VALUES (${small})) v (id) ON i.id = v.id
      WHEN MATCHED THEN UPDATE SET n = 150 WHEN NOT MATCHED THEN DO NOTHING`,
  ),
  'RETURNING, type SELECT': raw(({ small }) => `${update(small)} RETURNING id`, SELECT),
  'RETURNING, plain': raw(({ small }) => `${update(small)} RETURNING id`, { plain: true }),
  'RETURNING, nest': raw(({ small }) => `${update(small)} RETURNING id`, { nest: true }),
  'RETURNING, model': ({ small }, { sequelize, Item }) =>
    sequelize.query(`${update(small)} RETURNING *`, { model: Item, mapToModel: true }),
  'WITH ... UPDATE': raw(
    ({ small }) => `WITH w AS (${update(small)} RETURNING id) SELECT * FROM w`,
  ),
  'WITH ... UPDATE, type SELECT': raw(
    ({ small }) => `WITH w AS (${update(small)} RETURNING id) SELECT * FROM w`,
    SELECT,
  ),
  'WITH ... DELETE, not named again': raw(
    ({ big }) => `WITH gone AS (DELETE FROM items WHERE id = ${big}) SELECT 1 AS one`,
    SELECT,
  ),
  'two statements in a text': raw(({ small }) => `SELECT 1; ${update(small)}`, SELECT),
  'BEGIN ... COMMIT in a text': raw(({ small }) => `BEGIN; ${update(small)}; COMMIT`),
  'EXPLAIN ANALYZE': raw(({ small }) => `EXPLAIN ANALYZE ${update(small)}`, SELECT),
  'a deleted parent (CASCADE)': raw(({ owner }) => `DELETE FROM owners WHERE id = ${owner}`),
  'a renumbered parent (CASCADE)': raw(
    ({ owner }) => `UPDATE owners SET id = id + 7000000 WHERE id = ${owner}`,
  ),
  'a deleted parent (SET NULL)': raw(({ owner }) => `DELETE FROM leases WHERE owner_id = ${owner}`),
  'a trigger': raw(({ owner }) => `INSERT INTO orders (owner_id) VALUES (${owner})`),
  'a rule': raw(({ owner }) => `INSERT INTO inbox VALUES (${owner})`),
  'an updatable view': raw(({ small }) => `UPDATE open_items SET n = 150 WHERE id = ${small}`),
  'an INSTEAD OF trigger': raw(({ owner }) => `INSERT INTO desk VALUES (${owner})`),
  'a partitioned table': raw(({ owner }) => `INSERT INTO feed VALUES (5, ${owner})`),
  'a partition': raw(({ owner }) => `INSERT INTO feed_high VALUES (150, ${owner})`),
  'a function, type SELECT': raw(({ owner }) => `SELECT bump(${owner})`, SELECT),
  'a function, no type': raw(({ owner }) => `SELECT * FROM bump(${owner})`),
  'a function in a condition': raw(
    ({ owner }) => `SELECT id FROM owners WHERE id = ${owner} AND bump(id) > 0`,
    SELECT,
  ),
  'a function that says it is STABLE': raw(({ owner }) => `SELECT sly_bump(${owner})`, SELECT),
  CALL: raw(({ owner }) => `CALL raise_items(${owner})`),
  DO: raw(({ small }) => `DO $$ BEGIN ${update(small)}; END $$`),
  'REFRESH MATERIALIZED VIEW': async ({ small }, { Item, sequelize }) => {
    await Item.update({ n: 150 }, { where: { id: small } });
    await sequelize.query('REFRESH MATERIALIZED VIEW item_totals');
  },
};

const transactions: Record<string, Run> = {
  'a managed transaction': ({ small }, { sequelize, item }) =>
    sequelize.transaction((transaction) => item(small).update({ n: 150 }, { transaction })),
  'an unmanaged transaction': async ({ small }, { sequelize }) => {
    const transaction = await sequelize.transaction();
    await sequelize.query(update(small), { transaction });
    await transaction.commit();
  },
  'a nested transaction': ({ small }, { sequelize, Item }) =>
    sequelize.transaction((outer) =>
      sequelize.transaction({ transaction: outer }, (transaction) =>
        Item.increment({ n: 149 }, { where: { id: small }, transaction }),
      ),
    ),
  'a transaction whose savepoint is rolled back': ({ small, big }, { sequelize, item }) =>
    sequelize.transaction(async (outer) => {
      await item(small).update({ n: 150 }, { transaction: outer });
      const inner = await sequelize.transaction({ transaction: outer });
      await item(big).update({ n: 2 }, { transaction: inner });
      await inner.rollback();
    }),
  'a transaction with a raw COMMIT': async ({ small }, { sequelize }) => {
    const transaction = await sequelize.transaction();
    await sequelize.query(update(small), { transaction });
    await sequelize.query('COMMIT', { transaction });
    await transaction.rollback();
  },
  'a transaction beside one that is rolled back': async ({ small }, { sequelize, item }) => {
    const [kept, dropped] = await Promise.all([sequelize.transaction(), sequelize.transaction()]);
    await sequelize.query('INSERT INTO items (n) VALUES (7)', { transaction: dropped });
    await item(small).update({ n: 150 }, { transaction: kept });
    await kept.commit();
    await dropped.rollback();
  },
  'a function in a transaction': ({ owner }, { sequelize }) =>
    sequelize.transaction((transaction) =>
      sequelize.query(`SELECT bump(${owner})`, { ...SELECT, transaction }),
    ),
};

const alone: Record<string, Run> = {
  truncate: (_scene, { Heir }) => Heir.truncate(),
  'destroy with truncate': (_scene, { Heir }) => Heir.destroy({ truncate: true, cascade: true }),
  'queryInterface bulkDelete with truncate': (_scene, { sequelize }) =>
    sequelize.getQueryInterface().bulkDelete('items_heirs', {}, { truncate: true } as never),
  TRUNCATE: raw(() => 'TRUNCATE items_heirs'),
  'TRUNCATE ... CASCADE': raw(() => 'TRUNCATE folders CASCADE'),
  'a table that inherits': (scene, { Heir }) => Heir.create({ ownerId: scene.owner, n: 300 }),
  'a parent of a table that inherits': raw(
    ({ owner }) => `UPDATE items SET n = 650 WHERE owner_id = ${owner} AND n = 600`,
  ),
};

const doubtful: Record<string, Run> = {
  'PREPARE and EXECUTE': raw(
    ({ small }) => `PREPARE step AS ${update(small)}; EXECUTE step; DEALLOCATE step`,
  ),
  'a function that builds its SQL': raw(({ owner }) => `SELECT dynamic_bump(${owner})`, SELECT),
  'a DO block that builds its SQL': raw(
    ({ small }) => `DO $$ BEGIN EXECUTE '${update(small)}'; END $$`,
  ),
};

const list = (runs: Record<string, Run>, traits: Partial<MatrixWrite> = {}): MatrixWrite[] =>
  Object.entries(runs).map(([name, run]) => ({ name, run, ...traits }));

export const WRITES: readonly MatrixWrite[] = [
  ...list({ ...models, ...associations, ...queryInterface, ...statements, ...transactions }),
  ...list(alone, { alone: true }),
  ...list(doubtful, { doubt: true }),
];
