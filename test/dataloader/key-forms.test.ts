import { expect } from 'chai';
import { DataTypes, type Model, type ModelStatic } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { byKey, countOf, createLoaders, hasMany, type Loader } from '../../src/dataloader';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

describe('keys in other forms than the column has', () => {
  let database: TestDatabase;
  let reads: FreshReads;
  let Thing: ModelStatic<Model>;

  before(async () => {
    database = await createDatabase(
      'CREATE TABLE things (id serial PRIMARY KEY, small smallint, whole int, price numeric)',
      'INSERT INTO things (small, whole, price) VALUES (1, 1, 0.0000001), (2, 2, 0.5), (3, 3, 1), (NULL, NULL, -1200)',
    );
    const sequelize = database.connect();
    Thing = sequelize.define(
      'thing',
      { small: DataTypes.INTEGER, whole: DataTypes.BIGINT, price: DataTypes.DECIMAL },
      { timestamps: false },
    );
    Thing.hasMany(Thing, {
      as: 'same',
      sourceKey: 'whole',
      foreignKey: 'small',
      constraints: false,
    });
    reads = freshReads(sequelize);
    await reads.ready();
  });

  after(() => database.close());

  async function idsBy(attribute: string, keys: readonly unknown[]): Promise<unknown[][]> {
    const [all, some] = await Promise.all(
      [undefined, 5].map(async (limit) => {
        const { found } = createLoaders(reads, {
          found: byKey(Thing, attribute as never, { many: true, order: ['id'], limit }),
        });
        const loader = found as unknown as Loader<unknown, Model[]>;
        const lists = await Promise.all(keys.map((key) => loader.load(key)));
        return lists.map((rows) => rows.map((row) => row.get('id')));
      }),
    );
    expect(some).to.deep.equal(all);
    return all!;
  }

  it('whole numbers beyond the type of the column find nothing', async () => {
    expect(await idsBy('small', [1, 70000, -70000])).to.deep.equal([[1], [], []]);
    expect(await idsBy('whole', [2, '3000000000'])).to.deep.equal([[2], []]);
    const { count } = createLoaders(reads, { count: countOf(Thing.associations['same']) });
    expect(await count.loadMany([1, 70000])).to.deep.equal([1, 0]);
  });

  it('decimals may have an exponent, or nothing before the point', async () => {
    const keys = [1e-7, '.5', '1e0', '10E-1', '1.', '-1.2e3', '+0.12e+4', '00.50'];
    expect(await idsBy('price', keys)).to.deep.equal([[1], [2], [3], [3], [3], [4], [], [2]]);
    const { found } = createLoaders(reads, { found: byKey(Thing, 'price' as never) });
    const wrong = ['.', '', '-', 'e1', '1e', '1e9999', '1.2.3', '0x1'];
    for (const error of await (found as unknown as Loader<string, Model>).loadMany(wrong)) {
      expect(error).to.have.property('message').that.includes('is no key of type DECIMAL');
    }
  });

  it('what a parser has made an object of is refused in instances too', async () => {
    const { same } = createLoaders(reads, { same: hasMany(Thing.associations['same']) });
    const thing = Thing.build({}, { isNewRecord: false });
    thing.dataValues = { whole: { digits: '1' } };
    const [error] = await same.loadMany([thing]);
    expect(error).to.have.property(
      'message',
      'hasMany(thing.same): { digits: … } is no key of type INTEGER, and no instance of thing.',
    );
    thing.dataValues = { whole: null };
    expect(await same.load(thing)).to.deep.equal([]);
  });
});
