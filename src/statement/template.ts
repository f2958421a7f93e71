import {
  AMPERSAND,
  ASTERISK,
  CHARACTER_CLASS,
  CLASS_BLANK,
  CLASS_DIGIT,
  CLASS_LETTER,
  CLASS_OTHER,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COMMA,
  DOLLAR,
  DOT,
  DOUBLE_QUOTE,
  MINUS,
  OPEN_BRACKET,
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

const STARTS_A_STATEMENT = 1;
const LITERAL_WORD = 2;
const VALUES = 3;

const WORDS = new WordTable(
  [
    ...['select', 'with', 'insert', 'update', 'delete', 'merge', 'table'].map(
      (word) => [word, STARTS_A_STATEMENT] as const,
    ),
    ...['null', 'true', 'false', 'default'].map((word) => [word, LITERAL_WORD] as const),
    ['values', VALUES],
  ],
  true,
);

const SETTING = /set_config/i;

/** What the last token was, as far as literals are concerned. */
const OTHER = 0;
const OPENED = 1;
const LITERAL = 2;
const COMMA_AFTER_LITERAL = 3;
const COMMA_AFTER_OTHER = 4;

/**
 * Shortens a statement to its template: literals become `1` and `''`, a list of them its first one,
 * rows of VALUES that then are the same one row, comments go. The template is a statement itself,
 * and touches exactly what the statement touches: so it is what gets parsed, and the key to keep
 * the result under.
 *
 * Gives the text itself back where literals may matter (anything but SELECT, INSERT, UPDATE,
 * DELETE, MERGE, VALUES and TABLE) or where it can't tell what is one.
 */
export function templateOf(sql: string): string {
  // The name of a setting decides what set_config does.
  return SETTING.test(sql) ? sql : (new TemplateScan(sql).run() ?? sql);
}

class TemplateScan {
  readonly #sql: string;
  /** What is done; `#from` is where the part begins that is still to be copied. */
  #done = '';
  #from = 0;
  #position = 0;
  #previous = OTHER;
  #depth = 0;
  #started = false;
  /** Inside the row list of a VALUES at depth 0. */
  #inRows = false;
  #beforeRow = '';
  /** What stands between the row before and the current one. */
  #separator = '';
  readonly #rows = new Set<string>();

  constructor(sql: string) {
    this.#sql = sql;
  }

  /** The template; undefined to leave the text as it is. */
  run(): string | undefined {
    const sql = this.#sql;
    while (this.#position < sql.length) {
      const position = this.#position;
      const unit = sql.charCodeAt(position);
      const kind = unit >= 128 ? CLASS_LETTER : (CHARACTER_CLASS[unit] ?? CLASS_OTHER);
      if (kind === CLASS_BLANK) this.#position += 1;
      else if (
        kind === CLASS_LETTER ? !this.#word(position, unit) : !this.#symbol(position, unit, kind)
      )
        return undefined;
    }
    if (!this.#started) return undefined;
    return this.#from === 0 ? sql : this.#done + sql.slice(this.#from);
  }

  #word(position: number, unit: number): boolean {
    const sql = this.#sql;
    const value = WORDS.find(sql, position);
    const end = WORDS.end;
    const next = sql.charCodeAt(end);
    this.#position = end;
    if (end - position === 1 && next === QUOTE && (unit | 32) === 101) {
      this.#position = escapeStringEnd(sql, end);
      this.#previous = OTHER;
      return this.#started && this.#position !== -1;
    }
    if (next === AMPERSAND && end - position === 1 && (unit | 32) === 117) return false;
    if (!this.#started) {
      if (value !== STARTS_A_STATEMENT && value !== VALUES) return false;
      this.#started = true;
    }
    if (value === LITERAL_WORD) {
      this.#literal(position, undefined);
      return true;
    }
    this.#previous = OTHER;
    if (this.#depth === 0) {
      this.#inRows = value === VALUES;
      this.#rows.clear();
    }
    return true;
  }

  #symbol(position: number, unit: number, kind: number): boolean {
    const sql = this.#sql;
    switch (unit) {
      case OPEN_PAREN:
        if (this.#inRows && this.#depth === 0) this.#openRow(position);
        this.#depth += 1;
        return this.#token(OPENED);
      case CLOSE_PAREN:
        this.#depth -= 1;
        this.#token(OTHER);
        if (this.#inRows && this.#depth === 0) this.#closeRow();
        return true;
      case OPEN_BRACKET:
        return this.#token(OPENED);
      case CLOSE_BRACKET:
        return this.#token(OTHER);
      case COMMA:
        return this.#token(this.#previous === LITERAL ? COMMA_AFTER_LITERAL : COMMA_AFTER_OTHER);
      case QUOTE:
        return this.#string(position);
      case DOUBLE_QUOTE:
        this.#position = quotedEnd(sql, position, '"');
        this.#previous = OTHER;
        return this.#position !== -1 && this.#started;
      case DOLLAR:
        return this.#parameter(position);
      case SEMICOLON:
        this.#started = this.#startsAnother(position + 1);
        this.#inRows = false;
        return this.#token(OTHER);
      case MINUS:
        if (sql.charCodeAt(position + 1) === MINUS)
          return this.#comment(lineCommentEnd(sql, position));
        if (this.#beforeOperand() && classAt(sql, position + 1) === CLASS_DIGIT)
          return this.#number(position, position + 1);
        return this.#token(OTHER);
      case SLASH:
        if (sql.charCodeAt(position + 1) === ASTERISK)
          return this.#comment(blockCommentEnd(sql, position));
        return this.#token(OTHER);
      default:
        return kind === CLASS_DIGIT ? this.#number(position, position) : this.#token(OTHER);
    }
  }

  #token(kind: number): boolean {
    this.#position += 1;
    this.#previous = kind;
    return true;
  }

  #beforeOperand(): boolean {
    return this.#previous === OPENED || this.#previous >= COMMA_AFTER_LITERAL;
  }

  /**
   * Ends a literal at the current position: dropped after another literal and a comma, else
   * replaced, or kept when no substitute is given.
   */
  #literal(start: number, substitute: string | undefined): void {
    if (this.#previous !== COMMA_AFTER_LITERAL) {
      const kept = substitute ?? this.#sql.slice(start, this.#position);
      this.#done += this.#sql.slice(this.#from, start) + kept;
    }
    this.#from = this.#position;
    this.#previous = LITERAL;
  }

  #string(start: number): boolean {
    const end = quotedEnd(this.#sql, start, "'");
    if (end === -1 || !this.#started) return false;
    this.#position = end;
    this.#literal(start, "''");
    return true;
  }

  #number(start: number, digits: number): boolean {
    const sql = this.#sql;
    let end = digitsEnd(sql, digits);
    if (sql.charCodeAt(end) === DOT) end = digitsEnd(sql, end + 1);
    if ((sql.charCodeAt(end) | 32) === 101) end = exponentEnd(sql, end);
    // Something else follows that servers read differently.
    if (classAt(sql, end) === CLASS_LETTER || sql.charCodeAt(end) === DOT) return false;
    this.#position = end;
    this.#literal(start, '1');
    return true;
  }

  #parameter(start: number): boolean {
    if (classAt(this.#sql, start + 1) !== CLASS_DIGIT) return false;
    this.#position = digitsEnd(this.#sql, start + 1);
    if (classAt(this.#sql, this.#position) === CLASS_LETTER) return false;
    this.#literal(start, undefined);
    return true;
  }

  #comment(end: number): boolean {
    if (end === -1) return false;
    // Its comma is copied with what is in front of the comment.
    if (this.#previous === COMMA_AFTER_LITERAL) this.#previous = COMMA_AFTER_OTHER;
    this.#done += `${this.#sql.slice(this.#from, this.#position)} `;
    this.#from = end;
    this.#position = end;
    return true;
  }

  #openRow(position: number): void {
    this.#beforeRow = this.#done;
    this.#separator = this.#sql.slice(this.#from, position);
    this.#done = '';
    this.#from = position;
  }

  #closeRow(): void {
    const row = this.#done + this.#sql.slice(this.#from, this.#position);
    this.#from = this.#position;
    this.#done = this.#rows.has(row) ? this.#beforeRow : this.#beforeRow + this.#separator + row;
    this.#rows.add(row);
  }

  /**
   * Whether the statement goes on being one of those that can be shortened: true when nothing
   * follows.
   */
  #startsAnother(position: number): boolean {
    return position >= this.#sql.length || /^\s*$/.test(this.#sql.slice(position));
  }
}

function digitsEnd(sql: string, start: number): number {
  let position = start;
  while (classAt(sql, position) === CLASS_DIGIT) position += 1;
  return position;
}

/**
 * The position after an exponent that starts at `start` with its `e`; `start` when there is none.
 */
function exponentEnd(sql: string, start: number): number {
  const sign = sql.charCodeAt(start + 1);
  const digits = sign === MINUS || sign === 43 ? start + 2 : start + 1;
  return classAt(sql, digits) === CLASS_DIGIT ? digitsEnd(sql, digits) : start;
}
