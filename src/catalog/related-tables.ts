import type { Relation } from './model';
import type { Names } from './names';

/**
 * Notes on each table what the user says that a write to it also changes. An entry with a name that
 * the database doesn't have is warned of and left out, so that "unknown" stays unknown.
 */
export function applyRelatedTables(
  relatedTables: Readonly<Record<string, readonly string[]>>,
  relations: ReadonlyMap<number, Relation>,
  names: Names,
  warn: (message: string) => void,
): void {
  for (const [table, related] of Object.entries(relatedTables)) {
    const missing = [table, ...related].filter((name) => find(name, names).length === 0);
    if (missing.length > 0) {
      warn(
        `relatedTables: the entry for ${table} is ignored, since the database has no ${missing.join(', ')} ` +
          `on its search path; name tables of other schemas in full, as in "schema.table".`,
      );
      continue;
    }
    const oids = related.flatMap((name) => find(name, names).map((relation) => relation.oid));
    // Partitions carry copies of the triggers of their table.
    for (const relation of withChildren(find(table, names), relations)) {
      relation.related = [...(relation.related ?? []), ...oids];
    }
  }
}

/** A table by a name as users write it: bare, or with its schema before the first dot. */
function find(name: string, names: Names): readonly Relation[] {
  const onPath = names.relations({ schema: undefined, name }, { anySchema: false });
  const dot = name.indexOf('.');
  if (onPath.length > 0 || dot < 0) return onPath;
  const qualified = { schema: name.slice(0, dot), name: name.slice(dot + 1) };
  return names.relations(qualified, { anySchema: false });
}

function withChildren(
  tables: readonly Relation[],
  relations: ReadonlyMap<number, Relation>,
): ReadonlySet<Relation> {
  const all = new Set(tables);
  // A set goes on to what is added to it on the way.
  for (const table of all) {
    for (const oid of table.children) {
      const child = relations.get(oid);
      if (child !== undefined) all.add(child);
    }
  }
  return all;
}
