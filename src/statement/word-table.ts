import { CHARACTER_CLASS, CLASS_DIGIT, CLASS_LETTER, DOLLAR, LOWER } from './lexer';

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * A fixed map from words to positive numbers, looked up by position in a text without cutting the
 * word out of it. Case makes no difference.
 */
export class WordTable {
  readonly #values: ReadonlyMap<string, number>;
  readonly #mask: number;
  /** Index into `#words`, by hash; -1 where empty. */
  readonly #slots: Int32Array;
  readonly #words: string[] = [];
  readonly #numbers: number[] = [];
  /** Where the word of the last `find` ended. */
  end = 0;
  /** Whether that word has letters beyond ASCII. */
  foreign = false;

  readonly #dollarJoins: boolean;

  /** @param dollarJoins whether a dollar sign is part of a word, as in an identifier, or ends it */
  constructor(words: Iterable<readonly [word: string, value: number]>, dollarJoins: boolean) {
    this.#dollarJoins = dollarJoins;
    this.#values = new Map([...words].map(([word, value]) => [word.toLowerCase(), value]));
    let size = 16;
    while (size < this.#values.size * 4) size *= 2;
    this.#mask = size - 1;
    this.#slots = new Int32Array(size).fill(-1);
    for (const [word, value] of this.#values) {
      let slot = hashOf(word) & this.#mask;
      while (this.#slots[slot] !== -1) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = this.#words.length;
      this.#words.push(word);
      this.#numbers.push(value);
    }
  }

  /**
   * The number of the word that starts at `start` with a letter or digit, 0 when it is not in the
   * table. Sets `end`.
   */
  find(sql: string, start: number): number {
    let hash = SEED;
    let position = start;
    this.foreign = false;
    for (; position < sql.length; position += 1) {
      const unit = sql.charCodeAt(position);
      if (unit >= 128) {
        this.foreign = true;
        continue;
      }
      const kind = CHARACTER_CLASS[unit];
      if (kind !== CLASS_LETTER && kind !== CLASS_DIGIT && (unit !== DOLLAR || !this.#dollarJoins))
        break;
      hash = Math.imul(hash ^ (LOWER[unit] ?? 0), PRIME);
    }
    this.end = position;
    // Folding beyond ASCII can change the length of a word, so it is done the plain way.
    if (this.foreign) return this.#values.get(sql.slice(start, position).toLowerCase()) ?? 0;
    let slot = hash & this.#mask;
    for (;;) {
      const index = this.#slots[slot] ?? -1;
      if (index === -1) return 0;
      if (sameWord(sql, start, position - start, this.#words[index] ?? ''))
        return this.#numbers[index] ?? 0;
      slot = (slot + 1) & this.#mask;
    }
  }
}

function hashOf(word: string): number {
  let hash = SEED;
  for (let index = 0; index < word.length; index += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(index), PRIME);
  }
  return hash;
}

function sameWord(sql: string, start: number, length: number, word: string): boolean {
  if (word.length !== length) return false;
  for (let index = 0; index < length; index += 1) {
    if (LOWER[sql.charCodeAt(start + index)] !== word.charCodeAt(index)) return false;
  }
  return true;
}
