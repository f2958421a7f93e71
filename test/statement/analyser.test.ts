import { expect } from 'chai';
import type { Analyser } from '../../src/statement';
import { createAnalyser, loadParser } from '../../src/statement';
import type { Case } from './corpus';
import { DEFINITIONS, OTHERS, READS, SESSIONS, UNREADABLE, WITH_QUERIES, WRITES } from './corpus';
import { describeAnalysis } from './describe-analysis';

const GROUPS: readonly [string, readonly Case[]][] = [
  ['reads', READS],
  ['WITH queries', WITH_QUERIES],
  ['writes', WRITES],
  ['other statements', OTHERS],
  ['session and transaction commands', SESSIONS],
  ['definitions', DEFINITIONS],
];

describe('statement: analyser', () => {
  let analyser: Analyser;

  before(async () => {
    await loadParser();
    analyser = createAnalyser();
  });

  for (const [name, cases] of GROUPS) {
    describe(name, () => {
      for (const [sql, expected] of cases) {
        it(sql === '' ? '(nothing)' : sql, () => {
          expect(describeAnalysis(analyser.analyse(sql))).to.equal(expected);
        });
      }
    });
  }

  describe('texts that cannot be read', () => {
    for (const [sql, problem] of UNREADABLE) {
      it(`${JSON.stringify(sql.slice(0, 40))}: ${problem}`, () => {
        const analysis = analyser.analyse(sql);
        expect(analysis).to.include({
          kind: 'unknown',
          problem,
          readsUnknown: true,
          writesUnknown: true,
        });
      });
    }
  });
});
