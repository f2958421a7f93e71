import { HARMLESS_FUNCTIONS } from './harmless';
import {
  AMPERSAND,
  ASTERISK,
  CHARACTER_CLASS,
  CLASS_BLANK,
  CLASS_DIGIT,
  CLASS_LETTER,
  CLASS_OTHER,
  CLOSE_PAREN,
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

/** Word values, in their lowest bits: what a word may be in a plain read. */
const KIND = 7;
const STARTS_A_READ = 1;
const NEVER = 2;
const BEFORE_PAREN = 3;
/** Syntax too, but a function may have that name: only right after certain words. */
const BEFORE_PAREN_AFTER = 4;
/** Above them which words of the last kind a word leads to, or which lead to it. */
const LINK = 3;

/** Words after which nothing but a query follows. */
const STARTS = ['select', 'with', 'values', 'table'];

/**
 * Words that make more of a text than a plain read, wherever they stand: modifying queries, SELECT
 * INTO, locking clauses.
 */
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

/** Words that may stand before a parenthesis: none that a function could be named like. */
const SYNTAX =
  `all and any array as asc between case cast coalesce current_time current_timestamp desc distinct
  else except exists from greatest group grouping having in intersect interval lateral least limit
  localtime localtimestamp not nullif offset on only or order row select some then time timestamp
  trim union using values when where xmlconcat xmlelement xmlforest xmlparse xmlpi xmlroot
  xmlserialize bit char character dec decimal float nchar numeric varchar`.split(/\s+/);

/** Words that may stand before a parenthesis after one of some others, and those. */
const LINKED: readonly (readonly [after: readonly string[], words: readonly string[]])[] = [
  [['inner', 'outer', 'left', 'right', 'full', 'cross'], ['join']],
  [['group', 'order', 'partition'], ['by']],
  [['grouping'], ['sets']],
  [['as'], ['materialized']],
  [['char', 'character', 'bit', 'nchar'], ['varying']],
];
/** The link from a closing parenthesis, as of an aggregate's arguments. */
const AFTER_CLOSE_PAREN = 1 << LINKED.length;

const WORDS = new WordTable(wordValues(), true);

function wordValues(): Map<string, number> {
  const values = new Map<string, number>();
  const mark = (words: Iterable<string>, value: number): void => {
    for (const word of words) values.set(word, (values.get(word) ?? 0) | value);
  };
  mark(new Set([...HARMLESS_FUNCTIONS, ...SYNTAX]), BEFORE_PAREN);
  mark(NOT_IN_A_READ, NEVER);
  for (const word of STARTS) values.set(word, STARTS_A_READ);
  LINKED.forEach(([after, words], index) => {
    mark(after, (1 << index) << LINK);
    mark(words, BEFORE_PAREN_AFTER | ((1 << index) << LINK));
  });
  mark(['over', 'filter'], BEFORE_PAREN_AFTER | (AFTER_CLOSE_PAREN << LINK));
  return values;
}

/**
 * The first look: whether a text might do more than read. A `false` is sure as far as a text can
 * tell: one statement, a query, no locking clause, nothing that modifies, and no function called
 * but built-in harmless ones. It can't see what the catalog hides: a function called in attribute
 * notation (`u.display`), one behind a view or an operator, or one that somebody has given a
 * built-in name; match the names of those beside it. Allocates nothing.
 */
export function suspicious(sql: string): boolean {
  let position = 0;
  let started = false;
  // What stands in front of the next token: a word that may be a function's name, or something that
  // can't.
  let callable = false;
  let qualified = false;
  // What the token before leads to.
  let link = 0;
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
        link = 0;
        continue;
      }
      if (!started && (value & KIND) !== STARTS_A_READ) return true;
      started = true;
      const meaning = value & KIND;
      if (meaning === NEVER) return true;
      callable = qualified || meaning === 0 || !leadsTo(link, value);
      link = qualified ? 0 : value >> LINK;
      qualified = false;
      position = end;
      continue;
    }
    if (unit === OPEN_PAREN) {
      if (callable) return true;
      link = 0;
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
      link = unit === CLOSE_PAREN ? AFTER_CLOSE_PAREN : 0;
      position += 1;
      continue;
    }
    qualified = false;
    link = 0;
    if (!started) return true;
  }
  return !started;
}

/** Whether a word is syntax where it stands. */
function leadsTo(link: number, value: number): boolean {
  return (value & KIND) !== BEFORE_PAREN_AFTER || (link & (value >> LINK)) !== 0;
}

function startsQuote(sql: string, position: number): boolean {
  const unit = sql.charCodeAt(position);
  return unit === QUOTE || unit === DOUBLE_QUOTE;
}

/**
 * The position after the digits of a number; -1 when letters follow them, which servers read
 * differently.
 */
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
