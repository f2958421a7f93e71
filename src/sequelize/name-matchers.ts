import type { Catalog } from '../catalog';
import { createMatcher } from '../statement';

type Matches = (sql: string) => boolean;

/**
 * So many tables are looked for one by one. Operations with session tokens have ever other ones, and a
 * test for each combination would have to be made anew for nearly each of them.
 */
const FEW = 4;

/** Tests, before any parsing, whether a text holds a name that may lead to one of some tables. */
export class NameMatchers {
  readonly #byNames = new WeakMap<ReadonlySet<string>, Matches>();
  readonly #byTable = new WeakMap<Catalog, Map<string, Matches>>();
  #last:
    | {
        readonly catalog: Catalog;
        readonly tables: readonly string[];
        readonly matches: Matches;
      }
    | undefined;

  /** A false is certain. For no tables: the names that matter whatever was written. */
  lead(catalog: Catalog, tables: readonly string[], text: string): boolean {
    if (tables.length === 0) return this.#of(catalog.namesReading(tables))(text);
    if (tables.length <= FEW) {
      for (const table of tables) if (this.#ofTable(catalog, table)(text)) return true;
      return false;
    }
    // The live tables seldom change between reads.
    const last = this.#last;
    if (
      last?.catalog === catalog &&
      (last.tables === tables ||
        (last.tables.length === tables.length &&
          last.tables.every((table, index) => table === tables[index])))
    ) {
      return last.matches(text);
    }
    const matches = this.#of(catalog.namesReading(tables));
    this.#last = { catalog, tables, matches };
    return matches(text);
  }

  #ofTable(catalog: Catalog, table: string): Matches {
    let byTable = this.#byTable.get(catalog);
    if (!byTable) {
      byTable = new Map();
      this.#byTable.set(catalog, byTable);
    }
    let matches = byTable.get(table);
    if (!matches) {
      matches = this.#of(catalog.namesReading([table]));
      byTable.set(table, matches);
    }
    return matches;
  }

  #of(names: ReadonlySet<string>): Matches {
    let matches = this.#byNames.get(names);
    if (!matches) {
      matches = createMatcher(names);
      this.#byNames.set(names, matches);
    }
    return matches;
  }
}
