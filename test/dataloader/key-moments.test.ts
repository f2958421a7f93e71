import { expect } from 'chai';
import { DataTypes, type Model, type ModelStatic } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { byKey, createLoaders, hasMany, type Loader } from '../../src/dataloader';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

describe('keys of days and moments, away from UTC', () => {
  const zone = process.env['TZ'];
  let database: TestDatabase;
  let reads: FreshReads;
  let Event: ModelStatic<Model>;

  before(async () => {
    process.env['TZ'] = 'Europe/Berlin';
    database = await createDatabase(
      'CREATE TABLE events (id serial PRIMARY KEY, day date, at timestamp UNIQUE)',
      `INSERT INTO events (day, at) VALUES ('2024-02-29', '2024-02-29 12:00'), ('2024-03-01', '2024-03-01 12:00')`,
    );
    const sequelize = database.connect();
    Event = sequelize.define(
      'event',
      { day: DataTypes.DATEONLY, at: { type: DataTypes.DATE, unique: true } },
      { timestamps: false },
    );
    reads = freshReads(sequelize);
    await reads.ready();
  });

  after(async () => {
    if (zone === undefined) Reflect.deleteProperty(process.env, 'TZ');
    else process.env['TZ'] = zone;
    await database.close();
  });

  async function sameAsFindAll(attribute: string, keys: readonly unknown[]): Promise<void> {
    for (const limit of [undefined, 5]) {
      const { found } = createLoaders(reads, {
        found: byKey(Event, attribute as never, { many: true, order: ['id'], limit }),
      });
      const loader = found as unknown as Loader<unknown, Model[]>;
      const lists = await Promise.all(keys.map((key) => loader.load(key)));
      const expected = await Promise.all(
        keys.map((key) => Event.findAll({ where: { [attribute]: key }, order: ['id'] })),
      );
      const idsOf = (rows: Model[]) => rows.map((row) => row.get('id'));
      expect(lists.map(idsOf)).to.deep.equal(expected.map(idsOf));
      expect(lists.some((rows) => rows.length > 0)).to.equal(true);
    }
  }

  it('a Date, a number or a time is the local day', () =>
    sameAsFindAll('day', [
      new Date(2024, 1, 29),
      new Date(2024, 1, 29, 23, 30).getTime(),
      '2024-02-29T00:30:00',
      '2024-02-29T23:30:00Z',
      '2024-02-29',
    ]));

  it('moments find the rows of a column without time zone', () =>
    sameAsFindAll('at', [new Date('2024-02-29T12:00:00Z'), new Date('2024-02-29T11:00:00Z')]));

  it('rows of such a column answer no other loader by it', async () => {
    Event.hasMany(Event, { as: 'same', foreignKey: 'day', sourceKey: 'day', constraints: false });
    const { ofDay, at } = createLoaders(reads, {
      ofDay: hasMany(Event.associations['same']),
      at: byKey(Event, 'at' as never),
    });
    await reads.runOperation({}, async () => {
      await ofDay.load('2024-02-29');
      const loader = at as unknown as Loader<Date, Model | null>;
      expect(await loader.load(new Date('2024-02-29T11:00:00Z'))).to.equal(null);
    });
  });
});
