import { expect } from 'chai';
import fc from 'fast-check';
import type { Analysis } from '../../src/statement';
import { createAnalyser, isHarmlessFunction, loadParser, suspicious } from '../../src/statement';
import { Findings } from '../../src/statement/findings';
import { readText } from '../../src/statement/routine-body';
import { templateOf } from '../../src/statement/template';
import { DEFINITIONS, OTHERS, READS, SESSIONS, WITH_QUERIES, WRITES } from './corpus';
import { describeAnalysis } from './describe-analysis';
import { querySoup, statement, tokenSoup } from './generators';

const CORPUS = [READS, WITH_QUERIES, WRITES, OTHERS, SESSIONS, DEFINITIONS]
  .flat()
  .map(([sql]) => sql);

/** The analysis of the text as it is, past template and cache. */
function plainAnalysis(sql: string): Analysis | undefined {
  const findings = new Findings();
  return readText(sql, findings) === undefined ? findings.toAnalysis() : undefined;
}

function expectSurelyRead(sql: string): void {
  if (suspicious(sql)) return;
  const analysis = plainAnalysis(sql);
  // What the server refuses does nothing.
  if (analysis === undefined) return;
  expect(analysis, sql).to.include({
    kind: 'read',
    statements: 1,
    locking: false,
    setsSearchPath: false,
  });
  expect(analysis.writes, sql).to.deep.equal([]);
  expect(
    analysis.functions.filter((name) => !isHarmlessFunction(name)),
    sql,
  ).to.deep.equal([]);
}

function expectSameByTemplate(sql: string): void {
  const analysis = plainAnalysis(sql);
  if (analysis === undefined) return;
  const template = templateOf(sql);
  const short = plainAnalysis(template);
  // Where the template is no statement, the text itself is parsed.
  if (short === undefined) return;
  expect(describeAnalysis(short), `${sql}\n${template}`).to.equal(describeAnalysis(analysis));
  expect([...short.identifiers].sort()).to.deep.equal([...analysis.identifiers].sort());
}

describe('statement: properties', () => {
  before(loadParser);

  it('what the first look lets pass is a plain read (corpus)', () => {
    CORPUS.forEach(expectSurelyRead);
  });

  it('what the first look lets pass is a plain read (statements)', () => {
    fc.assert(fc.property(statement, expectSurelyRead), { numRuns: 1500 });
  });

  it('what the first look lets pass is a plain read (token soups)', () => {
    fc.assert(fc.property(querySoup, expectSurelyRead), { numRuns: 4000 });
  });

  it('a template touches what its statement touches (corpus)', () => {
    CORPUS.forEach(expectSameByTemplate);
  });

  it('a template touches what its statement touches (statements)', () => {
    fc.assert(fc.property(statement, expectSameByTemplate), { numRuns: 1500 });
  });

  it('a template touches what its statement touches (token soups)', () => {
    fc.assert(fc.property(querySoup, expectSameByTemplate), { numRuns: 4000 });
  });

  it('a template is its own template', () => {
    fc.assert(
      fc.property(fc.oneof(statement, querySoup), (sql) => {
        const template = templateOf(sql);
        expect(templateOf(template)).to.equal(template);
      }),
      { numRuns: 1000 },
    );
  });

  it('no text makes the analyser throw', () => {
    const analyser = createAnalyser();
    fc.assert(
      fc.property(
        fc.oneof(tokenSoup, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })),
        (sql) => {
          const { kind, problem } = analyser.analyse(sql);
          expect(kind === 'unknown').to.equal(
            problem !== undefined || analyser.analyse(sql).kind === 'unknown',
          );
          analyser.analyseBuiltInsert(sql);
          suspicious(sql);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
