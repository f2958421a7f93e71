/**
 * The few lexical rules of PostgreSQL that a look over a text needs. All work on positions, so that
 * nothing is allocated. `standard_conforming_strings` is taken to be on: Sequelize turns it on.
 */

export const TAB = 9;
export const NEWLINE = 10;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const DOUBLE_QUOTE = 34;
export const DOLLAR = 36;
export const AMPERSAND = 38;
export const QUOTE = 39;
export const OPEN_PAREN = 40;
export const CLOSE_PAREN = 41;
export const ASTERISK = 42;
export const COMMA = 44;
export const MINUS = 45;
export const DOT = 46;
export const SLASH = 47;
export const SEMICOLON = 59;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;

/** Character classes, for the units below 128; everything beyond is a letter to PostgreSQL. */
export const CLASS_OTHER = 0;
export const CLASS_BLANK = 1;
export const CLASS_LETTER = 2;
export const CLASS_DIGIT = 3;

export const CHARACTER_CLASS = new Uint8Array(128);
/** ASCII units folded to lower case. */
export const LOWER = new Uint8Array(128);

for (let unit = 0; unit < 128; unit += 1) {
  const upper = unit >= 65 && unit <= 90;
  LOWER[unit] = upper ? unit + 32 : unit;
  if (upper || (unit >= 97 && unit <= 122) || unit === 95) CHARACTER_CLASS[unit] = CLASS_LETTER;
  else if (unit >= 48 && unit <= 57) CHARACTER_CLASS[unit] = CLASS_DIGIT;
  else if (unit === SPACE || (unit >= TAB && unit <= CARRIAGE_RETURN))
    CHARACTER_CLASS[unit] = CLASS_BLANK;
}

/** The class of the unit at a position; past the end it is `CLASS_OTHER`. */
export function classAt(sql: string, position: number): number {
  const unit = sql.charCodeAt(position);
  if (unit >= 128) return CLASS_LETTER;
  return CHARACTER_CLASS[unit] ?? CLASS_OTHER;
}

/** The position after an identifier or keyword that starts at `start`. */
export function wordEnd(sql: string, start: number): number {
  let position = start + 1;
  for (; ; position += 1) {
    const kind = classAt(sql, position);
    if (kind !== CLASS_LETTER && kind !== CLASS_DIGIT && sql.charCodeAt(position) !== DOLLAR)
      return position;
  }
}

/**
 * The position after a quoted text whose opening quote is at `start`, a doubled quote being part of
 * it; -1 when it never ends.
 */
export function quotedEnd(sql: string, start: number, quote: "'" | '"'): number {
  const unit = quote.charCodeAt(0);
  let position = start + 1;
  for (;;) {
    const close = sql.indexOf(quote, position);
    if (close === -1) return -1;
    if (sql.charCodeAt(close + 1) !== unit) return close + 1;
    position = close + 2;
  }
}

/**
 * The position after an `E'...'` text whose quote is at `start`, with the parts that continue it on
 * later lines; -1 when it never ends.
 */
export function escapeStringEnd(sql: string, start: number): number {
  let position = start + 1;
  for (;;) {
    if (position >= sql.length) return -1;
    const unit = sql.charCodeAt(position);
    if (unit === BACKSLASH) {
      position += 2;
    } else if (unit !== QUOTE) {
      position += 1;
    } else if (sql.charCodeAt(position + 1) === QUOTE) {
      position += 2;
    } else {
      const next = continuation(sql, position + 1);
      if (next === -1) return position + 1;
      position = next + 1;
    }
  }
}

/**
 * Where a string goes on: the quote after blanks and comments that hold a line break; -1 when it
 * does not.
 */
function continuation(sql: string, start: number): number {
  let line = false;
  let position = start;
  for (;;) {
    const unit = sql.charCodeAt(position);
    if (classAt(sql, position) === CLASS_BLANK) {
      line ||= unit === NEWLINE || unit === CARRIAGE_RETURN;
      position += 1;
    } else if (unit === MINUS && sql.charCodeAt(position + 1) === MINUS) {
      position = lineCommentEnd(sql, position);
    } else {
      return line && unit === QUOTE ? position : -1;
    }
  }
}

/** The position of the line break that ends a `--` comment, or the end of the text. */
export function lineCommentEnd(sql: string, start: number): number {
  for (let position = start; position < sql.length; position += 1) {
    const unit = sql.charCodeAt(position);
    if (unit === NEWLINE || unit === CARRIAGE_RETURN) return position;
  }
  return sql.length;
}

/** The position after a block comment, which may hold others; -1 when it never ends. */
export function blockCommentEnd(sql: string, start: number): number {
  let depth = 1;
  for (let position = start + 2; position < sql.length; position += 1) {
    const unit = sql.charCodeAt(position);
    if (unit === ASTERISK && sql.charCodeAt(position + 1) === SLASH) {
      position += 1;
      depth -= 1;
      if (depth === 0) return position + 1;
    } else if (unit === SLASH && sql.charCodeAt(position + 1) === ASTERISK) {
      position += 1;
      depth += 1;
    }
  }
  return -1;
}
