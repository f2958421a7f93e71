import { expect } from 'chai';
import { EXPECTED_OPTIONS_KEY, createContext, removeContext } from 'dataloader-sequelize';
import type { Model, Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { belongsToMany, byKey, countOf, createLoaders, hasMany } from '../../src/dataloader';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { SHOP_TABLES, fill, shop } from './shop';

/** Getters that dataloader-sequelize batches. */
interface Getters extends Model {
  getPlainItems(options: object): Promise<Model[]>;
  countPlainItems(options: object): Promise<number>;
  getItems(options: object): Promise<Model[]>;
}

describe('loaders in one process with dataloader-sequelize', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let models: ReturnType<typeof shop>;
  let context: object;

  before(async () => {
    database = await createDatabase(...SHOP_TABLES, ...fill(99), 'UPDATE items SET hidden = false');
    sequelize = database.connect();
    models = shop(sequelize);
    reads = freshReads(sequelize);
    await reads.ready();
    context = createContext(sequelize);
  });

  after(async () => {
    // It patches Sequelize's classes, for the whole process.
    removeContext(sequelize);
    await database.close();
  });

  const ids = (rows: readonly Model[]) => rows.map((row) => row.get('id'));

  it('finds the same rows as its getters do', async () => {
    const options = { [EXPECTED_OPTIONS_KEY]: context, order: [['id', 'ASC']], limit: 3 };
    const loaders = createLoaders(reads, {
      shop: byKey(models.Shop),
      items: hasMany(models.plainItems, { order: [['id', 'ASC']], limit: 3 }),
      count: countOf(models.plainItems),
      itemsOfLabel: belongsToMany(models.itemsOfLabel, { order: [['id', 'ASC']], limit: 3 }),
    });
    const shops = (await models.Shop.findAll({ order: ['id'] })) as unknown as Getters[];
    const labels = (await models.Label.findAll({ order: ['id'] })) as unknown as Getters[];
    const theirs = {
      items: await Promise.all(shops.map((one) => one.getPlainItems({ ...options }))),
      counts: await Promise.all(
        shops.map((one) => one.countPlainItems({ [EXPECTED_OPTIONS_KEY]: context })),
      ),
      linked: await Promise.all(labels.map((one) => one.getItems({ ...options }))),
    };
    await reads.runOperation({}, async () => {
      const items = await Promise.all(shops.map((one) => loaders.items.load(one)));
      expect(items.map(ids)).to.deep.equal(theirs.items.map(ids));
      const counts = await Promise.all(shops.map((one) => loaders.count.load(one)));
      expect(counts).to.deep.equal(theirs.counts);
      const linked = await Promise.all(labels.map((one) => loaders.itemsOfLabel.load(one)));
      expect(linked.map(ids)).to.deep.equal(theirs.linked.map(ids));
      const found = await Promise.all(
        shops.map((one) => loaders.shop.load(one.get('id') as never)),
      );
      expect(found.map((row) => row?.get('name'))).to.deep.equal(
        shops.map((row) => row.get('name')),
      );
    });
  });
});
