/** Tells which tables a statement reads; `undefined` when that is not known. */
export type TablesOf = () => readonly string[] | undefined;

/** Texts of statements are kept until somebody asks, but not any number of them. */
const MOST_PENDING = 16;

/**
 * The tables that statements were seen to read. Looked up only when somebody asks, which is after
 * a write: an operation that writes nothing doesn't pay for it.
 */
export class TablesSeen {
  #known: ReadonlySet<string> | 'unknown' | undefined;
  #pending: TablesOf[] = [];

  add(tables: TablesOf): void {
    this.#pending.push(tables);
    if (this.#pending.length > MOST_PENDING) this.get();
  }

  /** One was seen of which the tables are not known. */
  get isUnknown(): boolean {
    this.get();
    return this.#known === 'unknown';
  }

  /** `undefined`: none was seen yet, or one of which the tables are not known. */
  get(): readonly string[] | undefined {
    const pending = this.#pending;
    this.#pending = [];
    for (const tablesOf of pending) {
      const tables = this.#known === 'unknown' ? undefined : tablesOf();
      if (tables === undefined || this.#known === 'unknown') this.#known = 'unknown';
      else this.#known = new Set([...(this.#known ?? []), ...tables]);
    }
    return this.#known === 'unknown' || this.#known === undefined ? undefined : [...this.#known];
  }
}
