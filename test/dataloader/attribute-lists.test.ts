import { expect } from 'chai';
import {
  DataTypes,
  Model,
  col,
  fn,
  literal,
  type FindAttributeOptions,
  type ModelAttributes,
  type ModelStatic,
  type ProjectionAlias,
  type Sequelize,
} from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { batch, byKey, createLoaders } from '../../src/dataloader';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { listOf, stateOf } from './state-of';

const TABLES = [
  'CREATE TABLE things (id int PRIMARY KEY, name text, stuff jsonb, owner_id int)',
  `INSERT INTO things SELECT i, 'thing ' || i, '{"a": [1]}', i % 3 FROM generate_series(1, 9) i`,
];

describe('the lists of attributes that instances are made without', () => {
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

  const id = { type: DataTypes.INTEGER, primaryKey: true } as const;
  const columns = { id, name: DataTypes.TEXT };

  function init<M extends ModelStatic<Model>>(
    model: M,
    attributes: ModelAttributes = columns,
    on = sequelize,
  ): M {
    model.init(attributes, {
      sequelize: on,
      modelName: model.name,
      tableName: 'things',
      timestamps: false,
      underscored: true,
    });
    return model;
  }

  /** By a loader, and by a finder in a batch of the application's own. */
  async function sameAsFound(
    model: ModelStatic<Model>,
    attributes?: readonly unknown[],
    on = reads,
  ): Promise<Model> {
    const options = attributes ? { attributes: attributes as FindAttributeOptions } : {};
    const { thing, own } = createLoaders(on, {
      thing: byKey(model, undefined, options as object),
      own: batch({
        reads: [model],
        load: (keys: readonly number[]) => model.findAll({ where: { id: [...keys] }, ...options }),
      }),
    });
    const found = stateOf((await model.findByPk(5, options))!);
    const loaded = (await thing.load(5))!;
    expect(stateOf(loaded)).to.deep.equal(found);
    expect(stateOf(await own.load(5))).to.deep.equal(found);
    return loaded;
  }

  it('are those of classes that leave everything to Sequelize', async () => {
    class Declared extends Model {
      declare id: number;
      get title(): string {
        return `${this.constructor.name} ${this.id}`;
      }
    }
    init(Declared, { ...columns, stuff: DataTypes.JSONB, secret: DataTypes.VIRTUAL });
    const upper: ProjectionAlias = [fn('upper', col('name')), 'upper'];
    const lists = [undefined, ['name', 'id'], ['stuff', 'id', upper, 'id'], ['secret', 'id']];
    for (const attributes of lists) {
      const row = await sameAsFound(Declared, attributes);
      expect(listOf(row), JSON.stringify(attributes)).to.equal(undefined);
      expect(row).to.have.property('title', 'Declared 5');
    }
    expect(listOf(await sameAsFound(Declared.unscoped()))).to.equal(undefined);
  });

  it('leave out what they do not name', async () => {
    class Thing extends Model {}
    class Secret extends Model {}
    init(Thing);
    init(Secret, { id, name: DataTypes.VIRTUAL });
    await sameAsFound(Thing, ['id', literal('1 AS "one"')]);
    await sameAsFound(Thing, ['id', '*']);
    await sameAsFound(Thing, ['id', [literal('1'), 'long'.repeat(16)]]);
    await sameAsFound(Secret, ['name', 'id', [fn('upper', col('name')), 'name']]);
    Thing.addHook('beforeFindAfterOptions', ({ attributes }: { attributes?: unknown }) => {
      (attributes as unknown[]).push([literal('2'), 'two']);
    });
    await sameAsFound(Thing, ['id', 'name']);
  });

  it('leave out what the server calls otherwise', async () => {
    const unquoted = database.connect({ quoteIdentifiers: false });
    const on = freshReads(unquoted);
    await on.ready();
    class Thing extends Model {}
    init(Thing, { id, ownerId: DataTypes.INTEGER }, unquoted);
    await sameAsFound(Thing, ['id', 'ownerId', [literal('1'), 'camelCase']], on);
  });

  it('leave out what a text of the application selects beside them', async () => {
    class Thing extends Model {}
    init(Thing);
    const read = (_keys: readonly string[]) => {
      const options = { model: Thing, type: 'SELECT', attributes: ['id'] };
      return sequelize.query(
        'SELECT id, name FROM things WHERE id = 1',
        options as { model: typeof Thing },
      );
    };
    const { own } = createLoaders(reads, { own: batch({ reads: [Thing], load: read }) });
    expect((await own.load('any')).get()).to.deep.equal({ id: 1 });
  });

  it('are seen by constructors and builders', async () => {
    const seen: unknown[] = [];
    const see = (options: unknown) => seen.push((options as { attributes?: unknown }).attributes);
    class Constructed extends Model {
      constructor(...args: never[]) {
        super(...args);
        see(args[1]);
      }
    }
    class Derived extends Constructed {}
    class Built extends Model {
      static override build(...args: [never, never]): never {
        see(args[1]);
        return super.build(...args) as never;
      }
    }
    class BuiltInBulk extends Model {
      static override bulkBuild(...args: [never, never]): never {
        see(args[1]);
        return super.bulkBuild(...args) as never;
      }
    }
    class Initialised extends Model {
      _initValues(values: object, options: object): void {
        see(options);
        const { _initValues: fill } = Model.prototype as unknown as Record<string, () => void>;
        Reflect.apply(fill!, this, [values, options]);
      }
    }
    for (const model of [Constructed, Derived, Built, BuiltInBulk, Initialised]) {
      init(model as ModelStatic<Model>);
      seen.length = 0;
      await sameAsFound(model, ['name', 'id']);
      expect(seen, model.name).to.have.length.above(2);
      for (const attributes of seen) {
        expect([attributes].flat(2), model.name).to.have.members(['name', 'id']);
      }
    }
  });

  it('are seen by methods, fields and what replaces those of Sequelize', async () => {
    const pick = (row: Model) =>
      Object.fromEntries(listOf(row)!.map((name) => [name, row.getDataValue(name) as unknown]));
    class Told extends Model {
      override toJSON(): never {
        return pick(this) as never;
      }
    }
    class Got extends Model {
      override get(): never {
        return pick(this) as never;
      }
    }
    class Labelled extends Model {
      readonly label = (
        this as unknown as { _options: { attributes: string[] } }
      )._options.attributes.join();
    }
    for (const model of [Told, Got, Labelled]) {
      const row = await sameAsFound(init(model), ['name', 'id']);
      expect(listOf(row), model.name).to.deep.equal(['name', 'id']);
    }
  });

  it('lead through what is put in the place of set for all models', async () => {
    class Thing extends Model {}
    init(Thing);
    const prototype = Model.prototype as { set: (...args: unknown[]) => unknown };
    const { set } = prototype;
    prototype.set = function (key, value, ...rest) {
      return set.call(this, key, key === 'name' ? 'replaced' : value, ...rest);
    };
    try {
      expect((await sameAsFound(Thing)).get('name')).to.equal('replaced');
    } finally {
      prototype.set = set;
    }
  });
});
