/** Keeps what was worked out, up to a number of entries; then it starts afresh. */
export class Memo<T> {
  readonly #entries = new Map<string, T>();

  constructor(private readonly maxEntries = 5000) {}

  get(key: string, make: () => T): T {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= this.maxEntries) this.#entries.clear();
    const made = make();
    this.#entries.set(key, made);
    return made;
  }
}
