/**
 * A map from texts to values that keeps those used lately, bounded in entries and in characters of
 * key. Two generations stand in for an order of use: what is asked for moves to the young one, and
 * when that is full the old one is forgotten.
 */
export class RecentMap<V> {
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #youngCharacters = 0;

  /** Both bounds hold for the two generations together. */
  constructor(maxEntries: number, maxCharacters: number) {
    this.#maxEntries = Math.floor(maxEntries / 2);
    this.#maxCharacters = Math.floor(maxCharacters / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.#old.delete(key);
      this.set(key, old);
    }
    return old;
  }

  set(key: string, value: V): void {
    if (key.length > this.#maxCharacters || this.#maxEntries === 0) return;
    if (
      this.#young.size >= this.#maxEntries ||
      this.#youngCharacters + key.length > this.#maxCharacters
    ) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngCharacters = 0;
    }
    this.#young.set(key, value);
    this.#youngCharacters += key.length;
  }
}
