import { expect } from 'chai';
import fc from 'fast-check';
import { Op, type FindOptions, type Model, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import {
  belongsTo,
  belongsToMany,
  byKey,
  countOf,
  createLoaders,
  hasMany,
  hasOne,
  type LoaderDefinition,
} from '../../src/dataloader';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { LOOKS_LIKE_PARAMETERS, SHOP_TABLES, fill, shop } from './shop';

/** What both a loader and a plain query of one parent can be asked for. */
interface Asked {
  readonly limit?: number;
  readonly offset?: number;
  readonly order: [string, 'ASC' | 'DESC'][];
  readonly where?: Record<PropertyKey, unknown>;
  readonly scope?: 'cheap' | 'slim' | 'firstTwo' | 'ofShopOne' | false;
  readonly paranoid?: boolean;
  readonly raw?: boolean;
  readonly attributes?: string[];
}

const asked = fc.record(
  {
    limit: fc.integer({ min: 0, max: 4 }),
    offset: fc.integer({ min: 0, max: 3 }),
    order: fc
      .subarray(['price', 'label', 'kind'])
      .chain((names) =>
        fc
          .tuple(...names.map(() => fc.constantFrom('ASC' as const, 'DESC' as const)))
          .map((ways) => [
            ...names.map((name, i) => [name, ways[i]!] as [string, 'ASC' | 'DESC']),
            ['id', 'ASC'] as [string, 'ASC' | 'DESC'],
          ]),
      ),
    where: fc.constantFrom<Record<PropertyKey, unknown>>(
      { kind: 'plain' },
      { price: { [Op.gte]: 3 } },
      { [Op.and]: [{ kind: 'special' }, LOOKS_LIKE_PARAMETERS] },
      { [Op.or]: [{ kind: 'plain' }, { price: 1 }] },
      { shopId: { [Op.ne]: 3 } },
    ),
    scope: fc.constantFrom(...(['cheap', 'slim', 'firstTwo', 'ofShopOne', false] as const)),
    paranoid: fc.constantFrom(false, true),
    raw: fc.constantFrom(false, true),
    attributes: fc.constantFrom(['id', 'label'], ['id', 'shopId', 'price']),
  },
  { requiredKeys: ['order'] },
) as fc.Arbitrary<Asked>;

const scopeOf = (association: object) => (association as { scope?: object }).scope;

describe('loaders, beside plain queries on random data', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let models: ReturnType<typeof shop>;
  let statements: string[] = [];

  before(async () => {
    database = await createDatabase(...SHOP_TABLES, ...fill(4711));
    sequelize = database.connect({ logging: (sql) => statements.push(sql) });
    models = shop(sequelize);
    reads = freshReads(sequelize);
    await reads.ready();
  });

  after(() => database.close());

  async function loadAll<Input, Value>(
    definition: LoaderDefinition<Input, Value>,
    keys: readonly Input[],
  ): Promise<Value[]> {
    const loader = createLoaders(reads, { it: definition }).it;
    return reads.runOperation({}, async () => {
      statements = [];
      const values = await Promise.all(keys.map((key) => loader.load(key)));
      return values;
    });
  }

  const plain = (row: unknown): unknown =>
    row !== null && typeof row === 'object' && 'toJSON' in row ? (row as Model).toJSON() : row;

  /** Without attributes that the loader adds for itself. */
  const only = (rows: unknown[], names: readonly string[] | undefined) =>
    rows
      .map(plain)
      .map((row) =>
        names
          ? Object.fromEntries(
              Object.entries(row as object).filter(([name]) => names.includes(name)),
            )
          : row,
      );

  const shopIds = Array.from({ length: 13 }, (_, index) => index + 1);

  it('hasMany gives each source what a query of its own gives', async () => {
    await fc.assert(
      fc.asyncProperty(asked, fc.constantFrom('items', 'plainItems'), async (given, name) => {
        const association = models[name];
        const { scope, ...options } = given;
        const lists = await loadAll(hasMany(association, given as object), shopIds);
        expect(statements.length).to.equal(1);
        const names = given.attributes ?? (scope === 'slim' ? ['id', 'label'] : undefined);
        const model =
          scope === undefined
            ? models.Item
            : scope === false
              ? models.Item.unscoped()
              : models.Item.scope(scope);
        for (const [index, shopId] of shopIds.entries()) {
          // The scope's own conditions hold beside those of the query, not in their place.
          const scopeWhere = (model as unknown as { _scope: { where?: object } })._scope.where;
          const expected = await model.findAll({
            ...options,
            where: {
              [Op.and]: [scopeWhere, { shopId }, scopeOf(association), given.where].filter(Boolean),
            },
          } as FindOptions);
          expect(only(lists[index]!, names)).to.deep.equal(only(expected, names));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('belongsToMany gives each source what its getter gives, with the rows between', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (given) => {
        const labels = await models.Label.findAll({ order: ['id'] });
        // The getter replaces a scope's Op.and, which the loader does not: leave it to `unscoped`.
        const options = { ...given, scope: given.scope ?? (false as const) };
        if (options.scope === 'ofShopOne') return;
        const lists = await loadAll(belongsToMany(models.itemsOfLabel, options as object), labels);
        expect(statements.length).to.equal(1);
        for (const [index, label] of labels.entries()) {
          const getter = label as unknown as { getItems(options: object): Promise<unknown[]> };
          const expected = await getter.getItems(options);
          expect(lists[index]!.map(plain)).to.deep.equal(expected.map(plain));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('countOf gives what count gives', async () => {
    const wheres = [undefined, { kind: 'plain' }, { price: { [Op.gt]: 4 } }];
    for (const scope of ['cheap', false, undefined] as const) {
      for (const where of wheres) {
        const counts = await loadAll(
          countOf(models.plainItems, { scope, where: where as never }),
          shopIds,
        );
        expect(statements.length).to.equal(1);
        const lists = await loadAll(
          hasMany(models.plainItems, { scope, where: where as never }),
          shopIds,
        );
        expect(counts).to.deep.equal(lists.map((list) => list.length));
        const labels = await loadAll(
          countOf(models.itemsOfLabel, { scope, where: where as never }),
          shopIds,
        );
        expect(statements.length).to.equal(1);
        const linked = await loadAll(
          belongsToMany(models.itemsOfLabel, { scope, where: where as never }),
          shopIds,
        );
        expect(labels).to.deep.equal(linked.map((list) => list.length));
      }
    }
    expect((await loadAll(countOf(models.items), shopIds)).some((count) => count > 0)).to.equal(
      true,
    );
  });

  it('hasOne gives a row within the scope of the association, the first by order', async () => {
    const rows = await loadAll(hasOne(models.special, { order: [['id', 'DESC']] }), shopIds);
    for (const [index, shopId] of shopIds.entries()) {
      const expected = await models.Item.findOne({
        where: { [Op.and]: [{ hidden: false }, { shopId, kind: 'special' }] },
        order: [['id', 'DESC']],
      });
      expect(plain(rows[index])).to.deep.equal(plain(expected));
    }
    expect(rows).to.include(null);
  });

  it('belongsTo finds by the key that the association points to', async () => {
    const items = await models.Item.unscoped().findAll({ paranoid: false, order: ['id'] });
    const shops = await loadAll(belongsTo(models.shopByCode), items);
    expect(statements.length).to.equal(1);
    for (const [index, item] of items.entries()) {
      expect(shops[index]?.get('code')).to.equal(
        /^c([1245780]|1[01])$/.test(item.get('label') as string) && item.get('label') !== 'c0'
          ? item.get('label')
          : undefined,
      );
    }
  });

  it('byKey takes keys of several attributes', async () => {
    const links = await models.ItemLabel.findAll({ order: ['itemId', 'labelId'] });
    const keys = links.map((link) => link.get() as { itemId: number; labelId: number });
    const found = await loadAll(byKey(models.ItemLabel, ['labelId', 'itemId']), [
      ...keys,
      { itemId: 999, labelId: 1 },
    ]);
    expect(statements.length).to.equal(1);
    expect(found.map(plain)).to.deep.equal([...keys, null]);
    const many = await loadAll(
      byKey(models.Item, ['shopId', 'kind'], { many: true, limit: 2, order: ['id'] }),
      [
        { shopId: 1, kind: 'plain' },
        { shopId: 2, kind: 'special' },
      ],
    );
    for (const row of many[0]!) expect(row.get()).to.include({ shopId: 1, kind: 'plain' });
    for (const row of many[1]!) expect(row.get()).to.include({ shopId: 2, kind: 'special' });
  });

  it('loads what is included along, separate or joined, under limits too', async () => {
    const include = [{ association: models.reviews, separate: true, order: [['id', 'ASC']] }];
    const order: [string, string][] = [['id', 'ASC']];
    for (const includes of [include, [models.reviews]]) {
      const lists = await loadAll(
        hasMany(models.items, { limit: 3, order, include: includes as never }),
        shopIds,
      );
      for (const [index, shopId] of shopIds.entries()) {
        const expected = await models.Item.findAll({
          where: { [Op.and]: [{ hidden: false }], shopId },
          limit: 3,
          order,
          include: include as never,
        });
        const sorted = (rows: unknown[]) =>
          rows.map(plain).map((row) => {
            const { reviews, ...rest } = row as { reviews: { id: number }[] };
            return {
              ...rest,
              reviews: reviews
                .map(plain)
                .sort((a, b) => (a as { id: number }).id - (b as { id: number }).id),
            };
          });
        expect(sorted(lists[index]!)).to.deep.equal(sorted(expected));
      }
    }
  });

  it('keeps a target linked to two sources two instances beside included rows', async () => {
    const labels = Array.from({ length: 12 }, (_, index) => index + 1);
    for (const separate of [true, false]) {
      const lists = await loadAll(
        belongsToMany(models.itemsOfLabel, {
          order: [['id', 'ASC']],
          include: [{ association: models.reviews, separate }, models.owner],
        }),
        labels,
      );
      expect(statements.length).to.be.within(2, 3);
      const bare = await loadAll(
        belongsToMany(models.itemsOfLabel, { order: [['id', 'ASC']] }),
        labels,
      );
      expect(lists.map((rows) => rows.map((row) => row.get('id')))).to.deep.equal(
        bare.map((rows) => rows.map((row) => row.get('id'))),
      );
      for (const row of lists.flat()) {
        const reviews = row.get('reviews') as Model[];
        expect(reviews.length).to.equal(
          await models.Review.count({ where: { itemId: row.get('id') as number } }),
        );
      }
    }
  });
});
