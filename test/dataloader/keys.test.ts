import { expect } from 'chai';
import { DataTypes, type Model, type ModelStatic, type Sequelize } from 'sequelize';
import { freshReads, isOptionsError, type FreshReads } from '../../src';
import { byKey, createLoaders, type Loader } from '../../src/dataloader';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

interface Case {
  readonly attribute: string;
  readonly type: string;
  readonly model: unknown;
  readonly rows: readonly string[];
  /** Keys, and the ids that each must find. */
  readonly keys: readonly (readonly [key: unknown, ids: readonly number[]])[];
  /** Values that the column can't hold. */
  readonly wrong: readonly unknown[];
}

const DAY = new Date('2024-02-29T12:30:00.125Z');
const UUID = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';

const CASES: readonly Case[] = [
  {
    attribute: 'small',
    type: 'smallint',
    model: DataTypes.SMALLINT,
    rows: ['1', '-32768', '1'],
    keys: [
      [1, [1, 3]],
      ['-32768', [2]],
      [2n, []],
    ],
    wrong: [32768, 'x', 1.5, NaN, true],
  },
  {
    attribute: 'whole',
    type: 'integer',
    model: DataTypes.INTEGER,
    rows: ['0', '2147483647', '-5'],
    keys: [
      [-0, [1]],
      ['2147483647', [2]],
      [' -5 ', [3]],
      ['+7', []],
    ],
    wrong: [2147483648, '', '1;', 1e21, {}],
  },
  {
    attribute: 'big',
    type: 'bigint',
    model: DataTypes.BIGINT,
    rows: ['9007199254740993', '1', '-9223372036854775808'],
    keys: [
      ['9007199254740993', [1]],
      [9007199254740993n, [1]],
      [1, [2]],
      [-9223372036854775808n, [3]],
    ],
    wrong: [9007199254740992, 9223372036854775808n, '1e3'],
  },
  {
    attribute: 'code',
    type: 'uuid',
    model: DataTypes.UUID,
    rows: [`'${UUID}'`, `'${UUID}'`, 'NULL'],
    keys: [
      [UUID.toUpperCase(), [1, 2]],
      [UUID.replaceAll('-', ''), [1, 2]],
    ],
    wrong: ['a0eebc99', 5],
  },
  {
    attribute: 'codeAsText',
    type: 'uuid',
    model: DataTypes.STRING,
    rows: [`'${UUID}'`, 'NULL', 'NULL'],
    keys: [
      [UUID, [1]],
      [UUID.toUpperCase(), [1]],
    ],
    wrong: [{}],
  },
  {
    attribute: 'word',
    type: 'text',
    model: DataTypes.TEXT,
    rows: [`'it''s {"a\\b", $5}'`, `''`, `'NULL'`],
    keys: [
      [`it's {"a\\b", $5}`, [1]],
      ['', [2]],
      ['NULL', [3]],
      ['null', []],
    ],
    wrong: ['a\0b', null, undefined, [], Symbol('x')],
  },
  {
    attribute: 'padded',
    type: 'char(4)',
    model: DataTypes.CHAR(4),
    rows: [`'ab'`, `'abcd'`, `'x'`],
    keys: [
      ['ab', [1]],
      ['abcd', [2]],
      ['nope', []],
    ],
    wrong: [null],
  },
  {
    attribute: 'exact',
    type: 'numeric(10, 3)',
    model: DataTypes.DECIMAL(10, 3),
    rows: ['1.5', '-0.25', '100'],
    keys: [
      [1.5, [1]],
      ['1.500', [1]],
      ['-0.25', [2]],
      [100n, [3]],
      ['000100.', [3]],
    ],
    wrong: ['1,5', 'NaN', true],
  },
  {
    attribute: 'ratio',
    type: 'double precision',
    model: DataTypes.DOUBLE,
    rows: ['0.1', '1e300', '-2'],
    keys: [
      [0.1, [1]],
      ['1e300', [2]],
      [-2, [3]],
    ],
    wrong: ['', Infinity, 'abc'],
  },
  {
    attribute: 'flag',
    type: 'boolean',
    model: DataTypes.BOOLEAN,
    rows: ['true', 'false', 'true'],
    keys: [
      [true, [1, 3]],
      ['false', [2]],
    ],
    wrong: ['yes', 1],
  },
  {
    attribute: 'moment',
    type: 'timestamptz',
    model: DataTypes.DATE,
    rows: [`'2024-02-29 12:30:00.125+00'`, `'1969-12-31 23:59:59+00'`, 'NULL'],
    keys: [
      [DAY, [1]],
      ['2024-02-29T13:30:00.125+01:00', [1]],
      [-1000, [2]],
      [new Date(0), []],
    ],
    wrong: [new Date(NaN), 'soon', 1e300],
  },
  {
    attribute: 'day',
    type: 'date',
    model: DataTypes.DATEONLY,
    rows: [`'2024-02-29'`, `'2024-03-01'`, `'0044-03-15'`],
    keys: [
      ['2024-02-29', [1]],
      [DAY, [1]],
      ['0044-03-15', [3]],
    ],
    wrong: ['2023-02-29', 'x'],
  },
  {
    attribute: 'bytes',
    type: 'bytea',
    model: DataTypes.BLOB,
    rows: [`'\\x00ff5c27'`, `'abc'`, `''`],
    keys: [
      [Buffer.from([0, 255, 92, 39]), [1]],
      ['abc', [2]],
      [Buffer.alloc(0), [3]],
    ],
    wrong: [5],
  },
  {
    attribute: 'mood',
    type: 'mood_type',
    model: DataTypes.ENUM('sad', `it's "fine"`),
    rows: [`'sad'`, `'it''s "fine"'`, 'NULL'],
    keys: [
      ['sad', [1]],
      [`it's "fine"`, [2]],
    ],
    wrong: ['glad', 0],
  },
  {
    attribute: 'caseless',
    type: 'citext',
    model: DataTypes.CITEXT,
    rows: [`'Straße'`, `'STRASSE'`, `'straße'`],
    keys: [
      ['STRAßE', [1, 3]],
      ['strasse', [2]],
      ['Strasse', [2]],
    ],
    wrong: [null],
  },
  {
    attribute: 'net',
    type: 'cidr',
    model: DataTypes.CIDR,
    rows: [`'10.0.0.0/8'`, `'::1/128'`, `'10.0.0.0/8'`],
    keys: [
      ['10/8', [1, 3]],
      ['0:0::1', [2]],
      ['11.0.0.0/8', []],
    ],
    wrong: [{}],
  },
];

describe('keys of every type', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let Thing: ModelStatic<Model>;

  before(async () => {
    const columns = CASES.map(({ attribute, type }) => `"${attribute}" ${type}`).join(', ');
    const rows = [0, 1, 2].map(
      (row) => `(${CASES.map(({ rows: values }) => values[row]).join(', ')})`,
    );
    const names = CASES.map(({ attribute }) => `"${attribute}"`).join(', ');
    database = await createDatabase(
      'CREATE EXTENSION citext',
      `CREATE TYPE mood_type AS ENUM ('sad', 'it''s "fine"')`,
      `CREATE TABLE things (id serial PRIMARY KEY, ${columns})`,
      `INSERT INTO things (${names}) VALUES ${rows.join(', ')}`,
    );
    sequelize = database.connect();
    Thing = sequelize.define(
      'thing',
      Object.fromEntries(
        CASES.map(({ attribute, model }) => [attribute, { type: model as never }]),
      ),
      { timestamps: false },
    );
    reads = freshReads(sequelize);
    await reads.ready();
  });

  after(() => database.close());

  for (const { attribute, type, keys, wrong } of CASES) {
    for (const limit of [undefined, 5]) {
      it(`${attribute} (${type})${limit ? ' under a limit' : ''}`, async () => {
        const { found } = createLoaders(reads, {
          found: byKey(Thing, attribute as never, { many: true, order: ['id'], limit }),
        });
        const loader = found as unknown as Loader<unknown, Model[]>;
        await reads.runOperation({}, async () => {
          const values = await loader.loadMany([...keys.map(([key]) => key), ...wrong]);
          const lists = values.map((value) =>
            value instanceof Error ? value : value.map((row) => row.get('id')),
          );
          expect(lists.slice(0, keys.length)).to.deep.equal(keys.map(([, ids]) => ids));
          for (const error of lists.slice(keys.length)) {
            expect(isOptionsError(error), String(error)).to.equal(true);
          }
        });
      });
    }
  }

  it('lets an error of the server reach no other key than the one it is about', async () => {
    const { byNet, byCode } = createLoaders(reads, {
      byNet: byKey(Thing, 'net' as never),
      byCode: byKey(Thing, 'codeAsText' as never, { many: true, limit: 1 }),
    });
    const keys = [
      '10/8',
      'not a network',
      '::1',
      ...Array.from({ length: 40 }, (_, i) => `10.${i}.0.0/16`),
    ];
    await reads.runOperation({}, async () => {
      const nets = await (byNet as unknown as Loader<string, Model | null>).loadMany(keys);
      expect(nets[1])
        .to.be.instanceOf(Error)
        .and.to.have.property('message')
        .that.includes('not a network');
      expect((nets[0] as Model).get('id')).to.equal(1);
      expect((nets[2] as Model).get('id')).to.equal(2);
      expect(nets.slice(3).every((net) => net === null)).to.equal(true);
      const codes = await (byCode as unknown as Loader<string, Model[]>).loadMany([UUID, 'x']);
      expect((codes[0] as Model[])[0]!.get('id')).to.equal(1);
      expect(codes[1]).to.be.instanceOf(Error);
    });
  });

  it('leaves no trace of how rows were matched', async () => {
    const { found } = createLoaders(reads, {
      found: byKey(Thing, 'net' as never, { many: true, limit: 1, attributes: ['id'] as never }),
    });
    const [row] = await (found as unknown as Loader<string, Model[]>).load('10/8');
    expect(row!.toJSON()).to.deep.equal({ id: 1 });
    expect(row!.changed()).to.equal(false);
  });
});
