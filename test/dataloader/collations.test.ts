import { expect } from 'chai';
import { DataTypes, type Model, type ModelStatic } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { byKey, createLoaders, type Loader } from '../../src/dataloader';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

/** Texts that a collation takes for the same. */
const SAME: readonly (readonly [locale: string, texts: readonly string[]])[] = [
  ['und-u-ks-level1', ['Straße', 'strasse', 'STRASSE']],
  ['und-u-ks-level1', ['Bjørn', 'bjorn']],
  ['und-u-ks-level1', ['Æsop', 'aesop']],
  ['und-u-ks-level1', ['Đorđe', 'dorde']],
  ['und-u-ks-level1', ['さくら', 'サクラ']],
  ['de-u-co-phonebk-ks-level1', ['Müller', 'Mueller']],
  ['lt-u-ks-level1', ['Yla', 'ila']],
  ['und-u-kn-ks-level2', ['c01', 'C1']],
  ['und-u-ka-shifted-ks-level2', ['a-b', 'AB']],
];

describe('keys that a collation takes for the same', () => {
  let database: TestDatabase;
  let reads: FreshReads;
  let models: ModelStatic<Model>[];

  before(async () => {
    const tables = SAME.flatMap(([locale, texts], index) => [
      `CREATE COLLATION c${index} (provider = icu, locale = '${locale}', deterministic = false)`,
      `CREATE TABLE t${index} (id serial PRIMARY KEY, word text COLLATE c${index})`,
      `INSERT INTO t${index} (word) VALUES ('other'), ${texts.map((text) => `('${text}')`).join(', ')}`,
    ]);
    database = await createDatabase(...tables);
    const sequelize = database.connect();
    models = SAME.map((_, index) =>
      sequelize.define(
        `t${index}`,
        { word: DataTypes.TEXT },
        { tableName: `t${index}`, timestamps: false },
      ),
    );
    reads = freshReads(sequelize);
    await reads.ready();
  });

  after(() => database.close());

  for (const [index, [locale, texts]] of SAME.entries()) {
    it(`each find all the rows: ${texts.join(', ')} (${locale})`, async () => {
      for (const limit of [undefined, 5]) {
        const { found } = createLoaders(reads, {
          found: byKey(models[index]!, 'word' as never, { many: true, order: ['id'], limit }),
        });
        const loader = found as unknown as Loader<string, Model[]>;
        const lists = await Promise.all(['other', ...texts].map((text) => loader.load(text)));
        const all = texts.map((_, place) => place + 2);
        expect(lists.map((rows) => rows.map((row) => row.get('id')))).to.deep.equal([
          [1],
          ...texts.map(() => all),
        ]);
      }
    });
  }
});
