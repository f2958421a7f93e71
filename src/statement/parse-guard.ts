import { ASTERISK, CLOSE_BRACKET, CLOSE_PAREN, OPEN_BRACKET, OPEN_PAREN, SLASH } from './lexer';

/**
 * Far deeper than people or Sequelize nest, far from what overflows the parser's stack (about
 * 2,500).
 */
const DEEPEST_NESTING = 500;
/**
 * The parser's lexer takes a time that grows with the square of the comments (8,000: a third of a
 * second)...
 */
const MOST_COMMENTS = 1_000;
/** ... and of the length of a run of operator characters (16,000: half a second). */
const LONGEST_OPERATOR = 1_000;

const OPERATOR = new Uint8Array(128);
for (const character of '~!@#^&|`?+-*/%<>=') OPERATOR[character.charCodeAt(0)] = 1;

/**
 * Whether a text could overflow the parser or keep it busy for long. Looks inside strings and
 * comments too: what is this odd there is refused as well.
 */
export function isTooComplex(text: string): boolean {
  let depth = 0;
  let comments = 0;
  let operator = 0;
  for (let position = 0; position < text.length; position += 1) {
    const unit = text.charCodeAt(position);
    if (unit < 128 && OPERATOR[unit] === 1) {
      operator += 1;
      if (unit === ASTERISK && text.charCodeAt(position - 1) === SLASH) comments += 1;
      if (operator > LONGEST_OPERATOR || comments > MOST_COMMENTS) return true;
      continue;
    }
    operator = 0;
    if (unit === OPEN_PAREN || unit === OPEN_BRACKET) {
      depth += 1;
      if (depth > DEEPEST_NESTING) return true;
    } else if (unit === CLOSE_PAREN || unit === CLOSE_BRACKET) {
      depth -= 1;
    }
  }
  return false;
}
