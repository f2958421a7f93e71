import { shortenBuiltInsert } from './built-insert';
import { Findings, unknownAnalysis } from './findings';
import { RecentMap } from './recent-map';
import { readText } from './routine-body';
import { templateOf } from './template';
import type { Analyser, AnalyserOptions, Analysis } from './types';

const DEFAULT_MAX_LENGTH = 100_000;
const DEFAULT_CACHE_SIZE = 2_000;
const DEFAULT_CACHE_CHARACTERS = 4_000_000;
/** Text is shortened to its template before its length counts; so much longer it may be. */
const SHORTENING = 10;
/** Rows of an INSERT shorten best, and a client that has built them has the memory. */
const INSERT_SHORTENING = 1_000;
/** An INSERT below this is as quickly read whole. */
const SHORT_INSERT = 2_000;

/**
 * Makes an analyser with a cache of its own. It needs `loadParser()` to have resolved: until then
 * every analysis is `unknown`.
 *
 * A text can't be read (kind `unknown`, with a `problem`) when it is too long, too complex, holds a
 * NUL, or is not what PostgreSQL parses.
 */
export function createAnalyser(options: AnalyserOptions = {}): Analyser {
  const maxLength = options.maxLength ?? DEFAULT_MAX_LENGTH;
  const cache = new RecentMap<Analysis>(
    options.cacheSize ?? DEFAULT_CACHE_SIZE,
    options.cacheCharacters ?? DEFAULT_CACHE_CHARACTERS,
  );

  const analyseText = (text: string): Analysis => {
    if (text.length > maxLength) return unknownAnalysis('too-long');
    const known = cache.get(text);
    if (known !== undefined) return known;
    const analysis = analyseOnce(text);
    if (!isPassing(analysis)) cache.set(text, analysis);
    return analysis;
  };

  const analyseUpTo = (sql: string, longest: number): Analysis => {
    if (sql.length > longest) return unknownAnalysis('too-long');
    // The parser would take the text to end there.
    if (sql.includes('\0')) return unknownAnalysis('nul-character');
    const template = templateOf(sql);
    const analysis = analyseText(template);
    // A few rules of the grammar count literals; there the text itself has to be parsed.
    return analysis.problem === 'syntax' && template !== sql ? analyseText(sql) : analysis;
  };

  return {
    analyse: (sql) => analyseUpTo(sql, maxLength * SHORTENING),
    analyseBuiltInsert(sql) {
      const short = sql.length < SHORT_INSERT ? undefined : shortenBuiltInsert(sql);
      return short === undefined
        ? analyseUpTo(sql, maxLength * INSERT_SHORTENING)
        : analyseUpTo(short, maxLength);
    },
  };
}

function analyseOnce(text: string): Analysis {
  const findings = new Findings();
  try {
    const failure = readText(text, findings);
    return failure === undefined ? findings.toAnalysis() : unknownAnalysis(failure);
  } catch {
    // A long chain of operators is a tree as deep as it is long.
    return unknownAnalysis('too-complex');
  }
}

/** Whether the outcome has nothing to do with the text. */
function isPassing({ problem }: Analysis): boolean {
  return problem === 'parser-not-loaded' || problem === 'parser-failed';
}
