import { expect } from 'chai';
import fc from 'fast-check';
import { DataTypes, Sequelize, literal } from 'sequelize';
import type { Analyser } from '../../src/statement';
import { createAnalyser, loadParser } from '../../src/statement';
import { shortenBuiltInsert } from '../../src/statement/built-insert';
import { Findings } from '../../src/statement/findings';
import { readText } from '../../src/statement/routine-body';
import { describeAnalysis } from './describe-analysis';

interface BulkInsertBuilder {
  bulkInsertQuery(
    table: unknown,
    rows: readonly object[],
    options: object,
    attributes: object,
  ): string;
}

describe('statement: INSERT built by Sequelize', () => {
  const sequelize = new Sequelize({ dialect: 'postgres', logging: false });
  const Thing = sequelize.define(
    'Thing',
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      text: DataTypes.TEXT,
      data: DataTypes.JSONB,
      tags: DataTypes.ARRAY(DataTypes.STRING),
      bytes: DataTypes.BLOB,
      price: DataTypes.DECIMAL(10, 2),
      span: DataTypes.RANGE(DataTypes.INTEGER),
      at: DataTypes.DATE,
    },
    { tableName: 'things', timestamps: false },
  );
  const builder = sequelize.getQueryInterface().queryGenerator as BulkInsertBuilder;
  const build = (
    rows: readonly object[],
    options: object = {},
    table: unknown = 'things',
  ): string => builder.bulkInsertQuery(table, rows, options, Thing.getAttributes());
  const manyRows = (row: (index: number) => object): object[] =>
    Array.from({ length: 400 }, (_, index) => row(index));

  let analyser: Analyser;

  before(async () => {
    await loadParser();
    analyser = createAnalyser();
  });

  const plain = (sql: string): string | undefined => {
    const findings = new Findings();
    return readText(sql, findings) === undefined
      ? describeAnalysis(findings.toAnalysis())
      : undefined;
  };

  const shapes: readonly [string, (index: number) => object, object, unknown, string][] = [
    [
      'plain values',
      (n) => ({ text: `t${n}`, price: n, at: new Date(n) }),
      {},
      'things',
      'write | write things:I',
    ],
    [
      'strings with parentheses, quotes, semicolons and comments',
      (n) => ({ text: `it's (${n}); -- /* $$ "x" \\` }),
      {},
      'things',
      'write | write things:I',
    ],
    [
      'arrays, JSON, buffers, ranges',
      (n) => ({
        text: null,
        data: { a: ["it's (1)", n] },
        tags: ['a(b', `c'${n}`],
        bytes: Buffer.from(`x${n}'`),
        span: [n, n + 1],
      }),
      {},
      'things',
      'write | write things:I',
    ],
    [
      'ON CONFLICT DO UPDATE',
      (n) => ({ id: n, text: '(x)' }),
      { updateOnDuplicate: ['text'], upsertKeys: ['id'] },
      'things',
      'write | write things:IU',
    ],
    [
      'ON CONFLICT DO NOTHING',
      (n) => ({ id: n, text: 'x' }),
      { ignoreDuplicates: true },
      'things',
      'write | write things:I',
    ],
    [
      'RETURNING',
      (n) => ({ text: `x${n}` }),
      { returning: true },
      'things',
      'write | write things:I',
    ],
    [
      'a schema',
      (n) => ({ text: `x${n}` }),
      { returning: ['id'] },
      { tableName: 'Things', schema: 'own' },
      'write | write own.Things:I',
    ],
  ];
  for (const [name, row, options, table, expected] of shapes) {
    it(`reads head and tail of one with ${name}`, () => {
      const sql = build(manyRows(row), options, table);
      const short = shortenBuiltInsert(sql);
      expect(short).to.have.length.below(400);
      expect(describeAnalysis(analyser.analyseBuiltInsert(sql))).to.equal(expected);
      expect(plain(sql)).to.equal(expected);
    });
  }

  it('finds queries and functions among the values', () => {
    const rows = manyRows((n) => ({
      text: n === 250 ? literal('(SELECT f(x) FROM other)') : `t(${n})`,
    }));
    const sql = build(rows);
    expect(shortenBuiltInsert(sql)).to.equal(undefined);
    expect(describeAnalysis(analyser.analyseBuiltInsert(sql))).to.equal(
      'write | read other | write things:I | call f',
    );
  });

  it('shortens rows that all call a function', () => {
    const rows = manyRows((n) => ({
      text: sequelize.fn('upper', `t${n}`),
      price: n,
      tags: ['a', 'b'],
    }));
    const sql = build(
      manyRows((n) => rows[n]!).flatMap((row) => Array.from({ length: 20 }, () => row)),
    );
    expect(sql.length).to.be.above(100_000);
    expect(describeAnalysis(analyser.analyseBuiltInsert(sql))).to.equal(
      'write | write things:I | call upper',
    );
  });

  it('is not taken in by values that look like the end of the rows', () => {
    const rows = manyRows((n) => ({
      text: n === 399 ? literal(`f('x) ON CONFLICT DO NOTHING')`) : 'x) RETURNING "id";',
    }));
    expect(describeAnalysis(analyser.analyseBuiltInsert(build(rows)))).to.equal(
      'write | write things:I | call f',
    );
  });

  it('reads other shapes whole', () => {
    const long = `'${'x'.repeat(3000)}'`;
    for (const [sql, expected] of [
      [`INSERT INTO a SELECT * FROM b WHERE x = ${long}`, 'write | read b | write a:I'],
      [`INSERT INTO a (x) VALUES (${long}); DELETE FROM b;`, 'write | write a:I b:D'],
      [
        `INSERT INTO a (x) VALUES (${long}) RETURNING (SELECT 1 FROM b);`,
        'write | read b | write a:I',
      ],
      [`INSERT INTO a (x) VALUES (${long}, "f"(1));`, 'write | write a:I | call f'],
      [
        `INSERT INTO a (x) VALUES (${long}),(lower('x'),(SELECT f()));`,
        'write | write a:I | call f lower',
      ],
      [
        `INSERT INTO a (x) VALUES (${long}, own.varchar(1));`,
        'write | write a:I | call own.varchar',
      ],
      [
        `INSERT INTO a (x) VALUES (${long}, $$ ' $$, (SELECT 1 FROM b), $$ ' $$);`,
        'write | read b | write a:I',
      ],
      [
        `INSERT INTO a (x) VALUES (${long}, 1 /* ' */, f(1), 2 /* ' */);`,
        'write | write a:I | call f',
      ],
      [`INSERT INTO a (x) VALUES (${long}, E'\\'', f(1), E'\\'');`, 'write | write a:I | call f'],
      [
        `WITH x AS (DELETE FROM b RETURNING *) INSERT INTO a (x) VALUES (${long});`,
        'write | write a:I b:D',
      ],
      [`UPDATE a SET x = ${long}`, 'write | write a:U'],
    ] as const) {
      expect(describeAnalysis(analyser.analyseBuiltInsert(sql)), sql.replace(long, '...')).to.equal(
        expected,
      );
    }
  });

  it('says what the whole text says, whatever the values hold', () => {
    const nasty = fc.constantFrom(
      `'`,
      `"`,
      '(',
      ')',
      '),(',
      ') ON CONFLICT ',
      ') RETURNING ',
      ';',
      '--',
      '/*',
      '*/',
      '\\',
      '$$',
      'E',
      ' ',
      'x',
      '(SELECT f())',
    );
    const text = fc.array(nasty, { maxLength: 8 }).map((parts) => parts.join(''));
    const expression = fc.constantFrom(
      'f(1)',
      '(SELECT 1 FROM b)',
      `E'\\''`,
      'NULL',
      `'x'::varchar(3)`,
      `1 -- ' \n`,
      `/* ' */ 2`,
      '((1))',
      'lower((SELECT g()))',
      '$$ ) $$',
      '-1',
      '3/2',
    );
    const value = fc.oneof(
      { weight: 5, arbitrary: text },
      { weight: 1, arbitrary: expression.map((sql) => literal(sql)) },
    );
    const rows = fc.array(fc.record({ text: value, price: value }), { minLength: 1, maxLength: 5 });
    const options = fc.constantFrom(
      {},
      { returning: ['id'] },
      { ignoreDuplicates: true },
      { updateOnDuplicate: ['text'], upsertKeys: ['id'], returning: true },
    );
    fc.assert(
      fc.property(rows, options, (list, settings) => {
        const sql = builder.bulkInsertQuery('things', list, { ...settings }, {});
        const whole = plain(sql);
        const short = shortenBuiltInsert(sql);
        if (whole === undefined || short === undefined) return;
        expect(plain(short), sql).to.equal(whole);
      }),
      { numRuns: 1500 },
    );
  });
});
