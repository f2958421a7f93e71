import { expect } from 'chai';
import { templateOf } from '../../src/statement/template';

describe('statement: template', () => {
  const shortened: readonly [string, string][] = [
    [`SELECT * FROM a WHERE x = 5 AND y = 'it''s'`, `SELECT * FROM a WHERE x = 1 AND y = ''`],
    ['SELECT * FROM a WHERE x IN (1, 2,3 ,\n4)', 'SELECT * FROM a WHERE x IN (1)'],
    [`SELECT * FROM a WHERE x IN ('a', 'b', NULL, -1, $3)`, `SELECT * FROM a WHERE x IN ('')`],
    ['SELECT * FROM a WHERE x IN ($1, $2)', 'SELECT * FROM a WHERE x IN ($1)'],
    ['SELECT -1.5e-3, x - 1, a[2]', 'SELECT -1, x - 1, a[1]'],
    ['SELECT 1 -- one\n, /* two */ 2', 'SELECT 1  \n,   1'],
    ['SELECT "a 1", b1, $1, "it\'s"', 'SELECT "a 1", b1, $1, "it\'s"'],
    [`INSERT INTO a VALUES (1,'x'),(2,'y'), (NULL,'z')`, `INSERT INTO a VALUES (1), (NULL)`],
    [
      `INSERT INTO a VALUES (f(1),2),(f(2),3),(g(2),3),(f(1),9) RETURNING *`,
      `INSERT INTO a VALUES (f(1),1),(g(1),1) RETURNING *`,
    ],
    [`SELECT E'a\\'b', 'c'`, `SELECT E'a\\'b', ''`],
    [`SELECT 'a'::regclass, x->>'b', interval '1 day'`, `SELECT ''::regclass, x->>'', interval ''`],
  ];
  for (const [sql, template] of shortened) {
    it(sql, () => {
      expect(templateOf(sql)).to.equal(template);
    });
  }

  for (const sql of [
    '',
    `SELECT set_config('search_path', 'x', true), 5`,
    `DO 'BEGIN DELETE FROM a; END'`,
    `CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
    `SET search_path TO 'x'`,
    `SELECT 1; DO 'x'`,
    'SELECT 5; DROP TABLE a',
    `EXPLAIN (ANALYZE 0) SELECT 5`,
    `SELECT 5 FROM U&"\\0061"`,
    'SELECT $$ 5 $$',
    'SELECT 5, 1a',
    "SELECT 5, 'open",
    'SELECT 5, "open',
    'SELECT 5 /* open',
  ]) {
    it(`leaves alone: ${sql}`, () => {
      expect(templateOf(sql)).to.equal(sql);
    });
  }
});
