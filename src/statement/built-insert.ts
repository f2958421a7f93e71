import {
  ASTERISK,
  CLASS_BLANK,
  CLASS_DIGIT,
  CLASS_LETTER,
  CLOSE_PAREN,
  COMMA,
  DOLLAR,
  DOT,
  DOUBLE_QUOTE,
  MINUS,
  OPEN_PAREN,
  QUOTE,
  SEMICOLON,
  SLASH,
  classAt,
  escapeStringEnd,
  quotedEnd,
  wordEnd,
} from './lexer';
import { WordTable } from './word-table';

const HEAD = 'INSERT INTO ';
/**
 * The part of a text that is searched for the end of its rows: RETURNING and ON CONFLICT name
 * columns only.
 */
const LONGEST_TAIL = 16_384;
const LETTER_E = 101;
/** The units that end a run of plain text between strings. */
const SPECIAL = new Uint8Array(128);
for (const unit of [QUOTE, OPEN_PAREN, CLOSE_PAREN, SEMICOLON, DOLLAR, DOUBLE_QUOTE, MINUS, SLASH])
  SPECIAL[unit] = 1;
/** Types that Sequelize writes with a length behind an array of values. */
const TYPES = new WordTable(
  ['varchar', 'char', 'bpchar', 'numeric', 'decimal', 'bit', 'timestamp', 'time'].map(
    (type) => [type, 1] as const,
  ),
  true,
);

/**
 * Shortens a long INSERT that Sequelize built to one that touches the same and has a single row,
 * from its head and its tail: the rows between are literals, which is checked without parsing them.
 *
 * @returns undefined when the text has another shape, or when a value calls a function or holds a
 * query (`literal`, `fn`): then it is to be read whole
 */
export function shortenBuiltInsert(sql: string): string | undefined {
  const rows = rowsStart(sql);
  if (rows === -1) return undefined;
  const tail = rowsEnd(sql);
  if (tail <= rows) return undefined;
  if (!looksPlain(sql, rows, tail) && !isPlain(sql, rows, tail)) return undefined;
  return `${sql.slice(0, rows)}(1)${sql.slice(tail)}`;
}

/**
 * The position of the first row's parenthesis; -1 when the text does not start as such an INSERT
 * does.
 */
function rowsStart(sql: string): number {
  if (!sql.startsWith(HEAD)) return -1;
  let position = HEAD.length;
  let depth = 0;
  while (position < sql.length) {
    const unit = sql.charCodeAt(position);
    const kind = classAt(sql, position);
    if (unit === DOUBLE_QUOTE) {
      position = quotedEnd(sql, position, '"');
      if (position === -1) return -1;
    } else if (kind === CLASS_LETTER) {
      const end = wordEnd(sql, position);
      if (depth === 0 && sql.startsWith('VALUES (', position)) return end + 1;
      position = end;
    } else if (unit === OPEN_PAREN || unit === CLOSE_PAREN) {
      depth += unit === OPEN_PAREN ? 1 : -1;
      position += 1;
    } else if (kind === CLASS_BLANK || unit === COMMA || unit === DOT) {
      position += 1;
    } else {
      return -1;
    }
  }
  return -1;
}

/** The position after the last row; -1 when it can't be told without reading all of them. */
function rowsEnd(sql: string): number {
  const offset = Math.max(0, sql.length - LONGEST_TAIL);
  const window = sql.slice(offset);
  // What follows the rows holds no string, or it is read whole; so what follows the last string is
  // no string's inside.
  const afterStrings = window.lastIndexOf("'") + 1;
  const ends = [') ON CONFLICT ', ') RETURNING ']
    .map((mark) => window.indexOf(mark, afterStrings))
    .filter((index) => index !== -1);
  if (ends.length > 0) return offset + Math.min(...ends) + 1;
  if (sql.endsWith(');')) return sql.length - 1;
  return sql.endsWith(')') ? sql.length : -1;
}

/**
 * Whether every parenthesis follows `),` and there is no semicolon. Then none of them belongs to a
 * call or a query: the first one in a value would follow something else, as would the first one in
 * any later value.
 */
function looksPlain(sql: string, start: number, end: number): boolean {
  for (
    let open = sql.indexOf('(', start + 1);
    open !== -1 && open < end;
    open = sql.indexOf('(', open + 1)
  ) {
    if (sql.charCodeAt(open - 1) !== COMMA || sql.charCodeAt(open - 2) !== CLOSE_PAREN)
      return false;
  }
  const semicolon = sql.indexOf(';', start);
  return semicolon === -1 || semicolon >= end;
}

/**
 * The same by the rules of the lexer, for rows whose strings hold parentheses: one pass that hops
 * over strings, no allocation.
 */
function isPlain(sql: string, start: number, end: number): boolean {
  let depth = 0;
  let position = start;
  while (position < end) {
    const unit = sql.charCodeAt(position);
    if (unit >= SPECIAL.length || SPECIAL[unit] === 0) {
      position += 1;
      continue;
    }
    if (unit === QUOTE) {
      position = stringEnd(sql, position);
      if (position === -1) return false;
      continue;
    }
    if (unit === OPEN_PAREN) {
      if (depth > 0 && !followsType(sql, position, start)) return false;
      depth += 1;
    } else if (unit === CLOSE_PAREN) {
      depth -= 1;
    } else if (!isLoneOperator(sql, position)) {
      return false;
    }
    position += 1;
  }
  return position === end && depth === 0;
}

/** A minus or a slash that starts no comment. */
function isLoneOperator(sql: string, position: number): boolean {
  const next = sql.charCodeAt(position + 1);
  switch (sql.charCodeAt(position)) {
    case MINUS:
      return next !== MINUS;
    case SLASH:
      return next !== ASTERISK;
    default:
      return false;
  }
}

/** The position after a string; -1 when it never ends, or can't be told. */
function stringEnd(sql: string, start: number): number {
  // Sequelize writes a buffer as E'...', where a backslash escapes.
  const escapes = (sql.charCodeAt(start - 1) | 32) === LETTER_E && !isWordPart(sql, start - 2);
  return escapes ? escapeStringEnd(sql, start) : quotedEnd(sql, start, "'");
}

function followsType(sql: string, open: number, start: number): boolean {
  let word = open;
  while (word > start && isWordPart(sql, word - 1)) word -= 1;
  if (word === open || sql.charCodeAt(word - 1) === DOT) return false;
  return TYPES.find(sql, word) !== 0 && TYPES.end === open;
}

function isWordPart(sql: string, position: number): boolean {
  const kind = classAt(sql, position);
  return kind === CLASS_LETTER || kind === CLASS_DIGIT;
}
