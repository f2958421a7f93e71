import type { TableSource } from '../operation';

/** Tells which tables a statement reads; `undefined` when that is not known. */
export type TablesOf = () => readonly string[] | undefined;

/** Texts of statements are kept until somebody asks, but not any number of them. */
const MOST_PENDING = 16;

/**
 * The tables that a loader or a batch reads: those that it declares, those that its statements were
 * seen to read, and those of the loaders that it asks in its turn. Looked up only when somebody
 * asks, which is after a write: an operation that writes nothing doesn't pay for it.
 */
export class TablesSeen implements TableSource {
  readonly #declared: TablesOf | undefined;
  #known: Set<string> | 'unknown' | undefined;
  #pending: TablesOf[] = [];
  #others: Set<TableSource> | undefined;
  #settled = false;

  constructor(declared?: TablesOf) {
    this.#declared = declared;
  }

  add(tables: TablesOf): void {
    this.#pending.push(tables);
    if (this.#pending.length > MOST_PENDING) this.#look();
  }

  /** Counts what `other` reads from now on as well. Gives `false` when this is settled. */
  follow(other: TableSource): boolean {
    if (this.#settled) return false;
    this.#others ??= new Set();
    this.#others.add(other);
    return true;
  }

  /** `other` is settled: what it knows is kept, and it is let go. */
  unfollow(other: TablesSeen): void {
    if (!this.#others?.delete(other)) return;
    if (this.#others.size === 0) this.#others = undefined;
    this.add(() => other.get());
  }

  /** Nothing more is read. Those that were followed may go on, for other keys. */
  settle(): void {
    this.#settled = true;
    if (!this.#others) return;
    const tables = this.get();
    this.#others = undefined;
    this.#known = tables ? new Set(tables) : 'unknown';
  }

  /** `undefined`: nothing is known yet, or something was read of which the tables are not known. */
  get(): readonly string[] | undefined {
    const tables = new Set<string>();
    return this.collect(tables, new Set()) ? [...tables] : undefined;
  }

  /** Loaders may ask each other in a circle: `visited` ends it. */
  collect(into: Set<string>, visited: Set<TableSource>): boolean {
    if (visited.has(this)) return true;
    visited.add(this);
    this.#look();
    const known = this.#known;
    if (known === 'unknown') return false;
    const declared = this.#declared?.();
    if (!declared && (this.#declared || !(known ?? this.#others))) return false;
    for (const table of declared ?? []) into.add(table);
    for (const table of known ?? []) into.add(table);
    for (const other of this.#others ?? []) if (!other.collect(into, visited)) return false;
    return true;
  }

  #look(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const tablesOf of pending) {
      if (this.#known === 'unknown') return;
      const tables = tablesOf();
      if (!tables) this.#known = 'unknown';
      else {
        this.#known ??= new Set();
        for (const table of tables) this.#known.add(table);
      }
    }
  }
}
