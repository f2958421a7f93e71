import type { ReadClosures } from './closure-read';
import { Memo } from './memo';
import type { Model } from './model';
import type { ReadClosure, RelationKey } from './types';

/** For each table, the names that lead to it. Built when first asked for. */
export class ReadersIndex {
  #ofNone: ReadonlySet<string> | undefined;
  #byTable: ReadonlyMap<RelationKey, ReadonlySet<string>> | undefined;
  /** Names whose reading is never safe on a replica. */
  readonly #always = new Set<string>();
  readonly #relationNames = new Set<string>();
  readonly #memo = new Memo<ReadonlySet<string>>(500);

  constructor(
    private readonly model: Model,
    private readonly reads: ReadClosures,
    private readonly implicit: ReadClosure,
  ) {}

  namesReading(tables: Iterable<RelationKey>): ReadonlySet<string> {
    // Asked for every read: the names that matter whatever was written.
    if (Array.isArray(tables) && tables.length === 0) return (this.#ofNone ??= this.#collect([]));
    const keys = [...new Set(tables)].sort();
    return this.#memo.get(JSON.stringify(keys), () => this.#collect(keys));
  }

  #collect(keys: readonly RelationKey[]): ReadonlySet<string> {
    this.#byTable ??= this.#build();
    const names = new Set(this.#always);
    for (const key of keys)
      for (const name of this.#byTable.get(key) ?? [bareName(key)]) names.add(name);
    // A cast or an operator that reads one of the tables stands behind no name, so any text may mean it.
    const anywhere =
      this.implicit.unknown || keys.some((key) => this.implicit.tables.includes(key));
    if (anywhere) for (const name of this.#relationNames) names.add(name);
    return names;
  }

  #build(): ReadonlyMap<RelationKey, ReadonlySet<string>> {
    const byTable = new Map<RelationKey, Set<string>>();
    const note = (name: string, closure: ReadClosure): void => {
      const lowered = name.toLowerCase();
      if (closure.unknown || closure.primaryOnly || closure.writes) this.#always.add(lowered);
      for (const table of closure.tables) {
        const names = byTable.get(table);
        if (names === undefined) byTable.set(table, new Set([lowered]));
        else names.add(lowered);
      }
    };
    for (const relation of this.model.relations.values()) {
      this.#relationNames.add(relation.name.toLowerCase());
      note(relation.name, this.reads.ofRelation(relation));
    }
    for (const routine of this.model.routines.values()) {
      // Which schema a bare name in its body means may change with the search path: the wider reading counts.
      note(routine.name, this.reads.ofRoutine(routine, true));
    }
    return byTable;
  }
}

/** The name in a key of a table that the catalog doesn't have (yet). */
function bareName(key: RelationKey): string {
  return key.slice(key.lastIndexOf('.') + 1).toLowerCase();
}
