import { expect } from 'chai';
import { DataTypes, Model, type ModelStatic, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { byKey, createLoaders, hasMany } from '../../src/dataloader';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { listOf, stateOf } from './state-of';

const TABLES = [
  `CREATE TABLE things (
     id int PRIMARY KEY, name text, flag int, born timestamptz, day date, stuff jsonb, owner_id int
   )`,
  `INSERT INTO things
     SELECT i, nullif('thing ' || i, 'thing 3'), i % 2, '2026-01-02 03:04:05.678+00', '2026-01-02',
       '{"a": [1]}', i % 3
     FROM generate_series(1, 9) i`,
];

describe('instances that loaders give', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;

  before(async () => {
    database = await createDatabase(...TABLES);
    sequelize = database.connect();
    reads = freshReads(sequelize);
    await reads.ready();
  });

  after(() => database.close());

  const options = { tableName: 'things', timestamps: false, underscored: true } as const;
  const id = { type: DataTypes.INTEGER, primaryKey: true } as const;

  async function sameAsFound(model: ModelStatic<Model>, attributes?: string[]): Promise<Model> {
    const { thing } = createLoaders(reads, {
      thing: byKey(model, undefined, attributes && { attributes: attributes as never[] }),
    });
    const keys = [5, 3, 1];
    const loaded = await Promise.all(keys.map((key) => thing.load(key)));
    const found = await Promise.all(
      keys.map((key) => model.findByPk(key, attributes && { attributes })),
    );
    expect(loaded.map((row) => stateOf(row!))).to.deep.equal(found.map((row) => stateOf(row!)));
    return loaded[0]!;
  }

  it('are what findAll gives, without a copy attribute by attribute', async () => {
    const Plain = sequelize.define(
      'plain',
      { id, name: DataTypes.TEXT, stuff: DataTypes.JSONB, ownerId: DataTypes.INTEGER },
      options,
    );
    expect(listOf(await sameAsFound(Plain))).to.equal(undefined);
    await sameAsFound(Plain, ['name', 'id']);
    await sameAsFound(Plain, ['stuff', 'id']);
  });

  it('are what findAll gives, with dates and a boolean in a column of numbers', async () => {
    const Dated = sequelize.define(
      'dated',
      { id, flag: DataTypes.BOOLEAN, born: DataTypes.DATE, day: DataTypes.DATEONLY },
      options,
    );
    const row = await sameAsFound(Dated);
    expect(row.get()).to.deep.equal({
      id: 5,
      flag: true,
      born: new Date('2026-01-02T03:04:05.678Z'),
      day: '2026-01-02',
    });
    await sameAsFound(Dated, ['flag', 'day', 'id']);
  });

  it('run the getters of the attributes asked for and no others', async () => {
    const Getting = sequelize.define(
      'getting',
      {
        id,
        name: {
          type: DataTypes.TEXT,
          get() {
            return `"${String(this.getDataValue('name'))}"`;
          },
        },
        ownerId: {
          type: DataTypes.INTEGER,
          get: () => 'hidden',
        },
      },
      options,
    );
    await sameAsFound(Getting);
    expect((await sameAsFound(Getting, ['name', 'id'])).toJSON()).to.deep.equal({
      id: 5,
      name: '"thing 5"',
    });
  });

  it('have their values put in order by types of the application', async () => {
    const loud = new DataTypes.TEXT() as unknown as Record<string, unknown>;
    loud['_sanitize'] = (value: unknown) => String(value).toUpperCase();
    loud['key'] = 'LOUD';
    const Sanitized = sequelize.define('sanitized', { id, name: loud as never }, options);
    expect((await sameAsFound(Sanitized)).get('name')).to.equal('THING 5');
  });

  it("are filled by the model's own set where it has one, and seen by its constructor", async () => {
    const set: string[] = [];
    class Watching extends Model {
      readonly label = `no ${String(this.getDataValue('id'))}`;
      override set(key: never, ...rest: never[]): this {
        if (typeof key === 'string') set.push(key);
        return super.set(key, ...rest);
      }
    }
    class Labelled extends Model {
      readonly label = `no ${String(this.getDataValue('id'))}`;
    }
    Watching.init({ id, name: DataTypes.TEXT }, { sequelize, ...options });
    Labelled.init({ id, name: DataTypes.TEXT }, { sequelize, ...options });
    expect(await sameAsFound(Watching)).to.have.property('label', 'no 5');
    expect(set).to.deep.equal(Array.from({ length: 6 }, () => ['id', 'name']).flat());
    expect(await sameAsFound(Labelled)).to.have.property('label', 'no 5');
  });

  it('can be changed, saved and told their past', async () => {
    const Thing = sequelize.define('thing', { id, name: DataTypes.TEXT }, options);
    const { thing } = createLoaders(reads, { thing: byKey(Thing) });
    const row = (await thing.load(7))!;
    row.set('name', 'other');
    expect(row.changed()).to.deep.equal(['name']);
    expect(row.previous('name')).to.equal('thing 7');
    await row.save();
    expect(await Thing.findByPk(7, { raw: true })).to.deep.equal({ id: 7, name: 'other' });
  });

  it('keep hooks, limits per parent and plain finders as they were', async () => {
    const Thing = sequelize.define(
      'hooked',
      { id, name: DataTypes.TEXT, ownerId: DataTypes.INTEGER },
      options,
    );
    const Owner = sequelize.define('owner', { id }, options);
    const things = Owner.hasMany(Thing, { as: 'things', foreignKey: 'ownerId' });
    const found: unknown[] = [];
    Thing.addHook('afterFind', (rows, { attributes }: { attributes?: unknown }) => {
      found.push([(rows as Model[]).every((row) => row instanceof Thing), attributes]);
    });
    const { list } = createLoaders(reads, {
      list: hasMany(things, { limit: 2, order: ['id'] }),
    });
    const [rows, others] = await Promise.all([list.load(1), list.load(2)]);
    const ids = (all: readonly Model[]) => all.map((row) => row.get('id'));
    expect([ids(rows), ids(others)]).to.deep.equal([
      [1, 4],
      [2, 5],
    ]);
    const plain = await Thing.findAll({ where: { ownerId: 1 }, order: ['id'], limit: 2 });
    expect(plain.map(stateOf)).to.deep.equal(rows.map(stateOf));
    expect(listOf(plain[0]!)).to.deep.equal(['id', 'name', 'ownerId']);
    expect(found).to.have.length(2);
    expect((found[0] as unknown[])[0]).to.equal(true);
  });
});
