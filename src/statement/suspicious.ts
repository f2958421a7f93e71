import { HARMLESS_FUNCTIONS } from './harmless';
import {
  AMPERSAND,
  ASTERISK,
  CHARACTER_CLASS,
  CLASS_BLANK,
  CLASS_DIGIT,
  CLASS_LETTER,
  CLASS_OTHER,
  DOLLAR,
  DOT,
  DOUBLE_QUOTE,
  MINUS,
  OPEN_PAREN,
  QUOTE,
  SEMICOLON,
  SLASH,
  blockCommentEnd,
  classAt,
  escapeStringEnd,
  lineCommentEnd,
  quotedEnd,
} from './lexer';
import { WordTable } from './word-table';

/** Word values: what a word may be in a plain read. */
const STARTS_A_READ = 1;
const NEVER = 2;
const BEFORE_PAREN = 3;

/** Words after which nothing but a query follows. */
const STARTS = ['select', 'with', 'values', 'table'];

/** Words that make more of a text than a plain read, wherever they stand: modifying queries, SELECT INTO, locking clauses. */
const NOT_IN_A_READ = [
  'insert',
  'update',
  'delete',
  'merge',
  'truncate',
  'into',
  'for',
  'tablesample',
  'uescape',
];

/** Words that may stand before a parenthesis without calling a function of somebody's: no function can be named like most of them. */
const SYNTAX =
  `all and any array as asc between by case cast coalesce cube current_time current_timestamp desc distinct else except
  exists filter from greatest group grouping having ilike in inner intersect interval join lateral least like limit localtime
  localtimestamp materialized not nullif offset on only or order over rollup row select sets similar some then time timestamp
  trim union using values when where within xmlconcat xmlelement xmlforest xmlparse xmlpi xmlroot xmlserialize
  bit char character dec decimal float nchar numeric varchar varying`.split(/\s+/);

const WORDS = new WordTable(
  [
    ...[...HARMLESS_FUNCTIONS].map((name) => [name, BEFORE_PAREN] as const),
    ...SYNTAX.map((word) => [word, BEFORE_PAREN] as const),
    ...NOT_IN_A_READ.map((word) => [word, NEVER] as const),
    ...STARTS.map((word) => [word, STARTS_A_READ] as const),
  ],
  true,
);

/**
 * The first look: whether a text might do more than read. A `false` is sure as far as a text can tell: one statement, a query, no
 * locking clause, nothing that modifies, and no function called but built-in harmless ones. It can't see what the catalog hides: a function
 * called in attribute notation (`u.display`), one behind a view or an operator, or one that somebody has given a built-in name; match the
 * names of those beside it. Allocates nothing.
 */
export function suspicious(sql: string): boolean {
  let position = 0;
  let started = false;
  // What stands in front of the next token: a word that may be a function's name, or something that can't.
  let callable = false;
  let qualified = false;
  while (position < sql.length) {
    const unit = sql.charCodeAt(position);
    const kind = unit >= 128 ? CLASS_LETTER : (CHARACTER_CLASS[unit] ?? CLASS_OTHER);
    if (kind === CLASS_BLANK) {
      position += 1;
      continue;
    }
    if (kind === CLASS_LETTER) {
      const value = WORDS.find(sql, position);
      const end = WORDS.end;
      const next = sql.charCodeAt(end);
      if (next === QUOTE || (next === AMPERSAND && startsQuote(sql, end + 1))) {
        // E'...', B'...', N'...', U&"...": only the plainest of them are taken apart here.
        if (end - position !== 1 || (unit | 32) !== 101) return true;
        position = escapeStringEnd(sql, end);
        if (position === -1) return true;
        callable = false;
        continue;
      }
      if (!started && value !== STARTS_A_READ) return true;
      started = true;
      if (value === NEVER) return true;
      callable = qualified || value === 0;
      qualified = false;
      position = end;
      continue;
    }
    if (unit === OPEN_PAREN) {
      if (callable) return true;
      position += 1;
      continue;
    }
    if (unit === QUOTE) {
      position = quotedEnd(sql, position, "'");
      if (position === -1) return true;
      callable = false;
    } else if (unit === DOUBLE_QUOTE) {
      position = quotedEnd(sql, position, '"');
      if (position === -1) return true;
      callable = true;
    } else if (unit === MINUS && sql.charCodeAt(position + 1) === MINUS) {
      position = lineCommentEnd(sql, position);
      continue;
    } else if (unit === SLASH && sql.charCodeAt(position + 1) === ASTERISK) {
      position = blockCommentEnd(sql, position);
      if (position === -1) return true;
      continue;
    } else if (unit === SEMICOLON) {
      return !started || !onlyBlanksAfter(sql, position + 1);
    } else if (unit === DOLLAR) {
      // $1 is a parameter; anything else quotes with dollars.
      if (classAt(sql, position + 1) !== CLASS_DIGIT) return true;
      position += 1;
      callable = false;
    } else if (kind === CLASS_DIGIT) {
      position = numberEnd(sql, position);
      if (position === -1) return true;
      callable = false;
    } else if (unit === 0) {
      return true;
    } else {
      qualified = unit === DOT;
      callable = false;
      position += 1;
      continue;
    }
    qualified = false;
    if (!started) return true;
  }
  return !started;
}

function startsQuote(sql: string, position: number): boolean {
  const unit = sql.charCodeAt(position);
  return unit === QUOTE || unit === DOUBLE_QUOTE;
}

/** The position after the digits of a number; -1 when letters follow them, which servers read differently. */
function numberEnd(sql: string, start: number): number {
  let position = start + 1;
  while (classAt(sql, position) === CLASS_DIGIT) position += 1;
  if (classAt(sql, position) !== CLASS_LETTER) return position;
  return -1;
}

/** Whether nothing but blanks and comments is left. */
function onlyBlanksAfter(sql: string, start: number): boolean {
  let position = start;
  while (position < sql.length) {
    const unit = sql.charCodeAt(position);
    if (classAt(sql, position) === CLASS_BLANK) {
      position += 1;
    } else if (unit === MINUS && sql.charCodeAt(position + 1) === MINUS) {
      position = lineCommentEnd(sql, position);
    } else if (unit === SLASH && sql.charCodeAt(position + 1) === ASTERISK) {
      position = blockCommentEnd(sql, position);
      if (position === -1) return false;
    } else {
      return false;
    }
  }
  return true;
}
