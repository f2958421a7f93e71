import { expect } from 'chai';
import { createAnalyser, loadParser } from '../../src/statement';

/** Which columns a text assigns: an update of others leaves what references the keys alone. */
describe('the columns of a write', () => {
  before(() => loadParser());
  const analyser = createAnalyser();

  const cases: [string, string[] | undefined][] = [
    ['UPDATE t SET a = 1, "B" = 2 WHERE id = 3', ['a', 'B']],
    ['UPDATE t SET (a, b) = (SELECT 1, 2)', ['a', 'b']],
    ['UPDATE t SET a.part = 1, list[2] = 3', ['a', 'list']],
    ['WITH x AS (UPDATE t SET a = 1) UPDATE t SET b = 2', ['a', 'b']],
    ['UPDATE t SET a = 1; UPDATE t SET b = 2', ['a', 'b']],
    ['INSERT INTO t (id) VALUES (1)', []],
    ['INSERT INTO t (id) VALUES (1) ON CONFLICT DO NOTHING', []],
    ['INSERT INTO t (id, a) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET a = excluded.a', ['a']],
    ['DELETE FROM t', []],
    [
      'MERGE INTO t USING s ON s.id = t.id WHEN MATCHED THEN UPDATE SET a = 1 ' +
        'WHEN NOT MATCHED THEN INSERT (id) VALUES (1)',
      ['a'],
    ],
    ['TRUNCATE t', []],
  ];
  for (const [sql, columns] of cases) {
    it(sql, () => {
      const [write] = analyser.analyse(sql).writes;
      expect(write?.relation.name).to.equal('t');
      expect(new Set(write?.columns)).to.deep.equal(new Set(columns));
    });
  }
});
