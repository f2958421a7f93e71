import { AMPERSAND, CLASS_DIGIT, CLASS_LETTER, DOUBLE_QUOTE, QUOTE, classAt } from './lexer';
import type { TextMatcher } from './types';
import { WordTable } from './word-table';

/**
 * PostgreSQL cuts identifiers at 63 bytes, in front of a character that would not fit whole (of
 * four bytes at most).
 */
const CUT_NAMES_FROM = 60;
const BEYOND_ASCII = /[\u0080-\uffff]/;
/**
 * What many names of the system have in them, and few texts: looked for in place of those names, since
 * a test for hundreds of them takes a while to get going.
 */
const SHARED_PARTS = ['pg_', '_seq', 'binary_upgrade_'];
/** U&"..." may spell a name in code points. */
const UNICODE_ESCAPE = `U&["']`;

/**
 * Builds a test whether a text could name any of these relations or functions, for use before
 * parsing it. It looks at every word of the text, also inside strings and comments: a `false` is
 * sure, a `true` is to be looked into.
 *
 * @param names unqualified names as the catalog has them, in any case
 */
export function createMatcher(names: Iterable<string>): TextMatcher {
  const words = new Set<string>();
  let shortestCutWord = Infinity;
  for (const name of names) {
    const word = longestWord(name).toLowerCase();
    if (word === '') return () => true;
    words.add(word);
    if (Buffer.byteLength(name) >= CUT_NAMES_FROM)
      shortestCutWord = Math.min(shortestCutWord, word.length);
  }
  if (words.size === 0) return () => false;
  const table = new WordTable(
    [...words].map((word) => [word, 1]),
    false,
  );
  const mayHold = looseMatcher(words, shortestCutWord);
  return (sql) => mayHold.test(sql) && holdsWord(sql, table, shortestCutWord);
}

/**
 * Finds every text that has one of the words in it, and some more: the engine is much faster at it
 * than a loop.
 */
function looseMatcher(words: ReadonlySet<string>, shortestCutWord: number): RegExp {
  // A longer spelling of a name that the server cuts is no part of the text as such.
  if (shortestCutWord !== Infinity) return /^/;
  const parts = new Set<string>();
  for (const word of words) parts.add(SHARED_PARTS.find((part) => word.includes(part)) ?? word);
  const alternatives = [...parts].map((part) => part.replaceAll('$', '\\$'));
  // Folding beyond ASCII is left to the exact look.
  if (alternatives.some((word) => BEYOND_ASCII.test(word))) alternatives.push(BEYOND_ASCII.source);
  return new RegExp([...alternatives, UNICODE_ESCAPE].join('|'), 'i');
}

function holdsWord(sql: string, table: WordTable, shortestCutWord: number): boolean {
  for (let position = 0; position < sql.length; position += 1) {
    const kind = classAt(sql, position);
    if (kind !== CLASS_LETTER && kind !== CLASS_DIGIT) continue;
    if (table.find(sql, position) !== 0) return true;
    const length = table.end - position;
    if (length === 1 && startsUnicodeEscape(sql, position)) return true;
    if (length >= shortestCutWord) return true;
    position = table.end;
  }
  return false;
}

/** Whether `U&"` or `U&'` starts here. */
function startsUnicodeEscape(sql: string, position: number): boolean {
  const unit = sql.charCodeAt(position) | 32;
  if (unit !== 117 || sql.charCodeAt(position + 1) !== AMPERSAND) return false;
  const next = sql.charCodeAt(position + 2);
  return next === DOUBLE_QUOTE || next === QUOTE;
}

/** The longest run of letters and digits in a name: quoted names may hold anything. */
function longestWord(name: string): string {
  let longest = '';
  for (let position = 0; position < name.length; position += 1) {
    const kind = classAt(name, position);
    if (kind !== CLASS_LETTER && kind !== CLASS_DIGIT) continue;
    let end = position + 1;
    while (classAt(name, end) === CLASS_LETTER || classAt(name, end) === CLASS_DIGIT) end += 1;
    if (end - position > longest.length) longest = name.slice(position, end);
    position = end;
  }
  return longest;
}
