import { builtinEffect, HARMLESS } from './builtin';
import { extensionEffect } from './extensions';
import {
  Action,
  type KeyAction,
  type Model,
  type References,
  type Relation,
  type Routine,
} from './model';
import type {
  CatalogParts,
  PartName,
  Reference,
  RelationRow,
  RoutineRow,
  TriggerRow,
} from './queries';
import { parseSearchPath } from './search-path';
import type { RelationKey } from './types';

/** What follows from a part that could not be read. */
const READS_NEED: readonly PartName[] = [
  ...([
    'relations',
    'rules',
    'policies',
    'inheritance',
    'builtins',
    'routines',
    'implicit',
  ] as const),
];
const WRITES_NEED: readonly PartName[] = [
  ...READS_NEED,
  ...(['foreignKeys', 'triggers', 'expressions', 'partitioning', 'columns'] as const),
];

/** Puts the rows of the catalog together. `failed`: parts that could not be read and stand empty. */
export function buildModel(
  parts: CatalogParts,
  keyOf: (schema: string, name: string) => RelationKey,
  failed: ReadonlySet<PartName>,
): Model {
  const relations = new Map(parts.relations.map((row) => [row.oid, relationOf(row, keyOf)]));
  const routines = routinesOf(parts);
  const unread = (needed: readonly PartName[]): string | undefined => {
    const first = needed.find((part) => failed.has(part));
    return first && `the catalog could not be read (${first})`;
  };

  for (const { parent, child } of parts.inheritance) relations.get(parent)?.children.push(child);
  for (const { relation, columns } of parts.partitioning) {
    const partitioned = relations.get(relation);
    if (partitioned !== undefined)
      partitioned.partitionColumns = columns ? new Set(columns) : undefined;
  }
  for (const { relation, columns } of parts.columns) {
    const known = relations.get(relation);
    if (known !== undefined) known.columns = new Set(columns);
  }
  addForeignKeys(parts, relations);
  addTriggers(parts, relations, routines);
  addRules(parts, relations);
  const secured = new Set(parts.relations.filter((row) => row.rowSecurity).map((row) => row.oid));
  for (const { relation, references } of parts.policies) {
    if (secured.has(relation)) relations.get(relation)?.policies.push(referencesOf(references));
  }
  for (const { relation, references } of parts.expressions) {
    for (const routine of referencesOf(references).routines) {
      if (routines.has(routine)) relations.get(relation)?.expressions.add(routine);
    }
  }
  return {
    relations,
    routines,
    implicit: implicitOf(parts, routines),
    readsUnknown: unread(READS_NEED),
    writesUnknown: unread(WRITES_NEED),
  };
}

const KINDS: Readonly<Record<RelationRow['kind'], Relation['kind']>> = {
  ...({ r: 'table', p: 'table', v: 'view', m: 'materialized view' } as const),
  ...({ S: 'sequence', f: 'foreign table' } as const),
};

function relationOf(
  row: RelationRow,
  keyOf: (schema: string, name: string) => RelationKey,
): Relation {
  return {
    oid: row.oid,
    schema: row.schema,
    name: row.name,
    key: keyOf(row.schema, row.name),
    kind: KINDS[row.kind],
    unlogged: row.persistence === 'u',
    updatable: row.updatable !== 0,
    ...{ children: [], policies: [], definition: [], referencedBy: [], triggers: [], rules: [] },
    expressions: new Set(),
    partitionColumns: new Set(),
    columns: undefined,
    related: undefined,
  };
}

function routinesOf(parts: CatalogParts): Map<number, Routine> {
  const routines = new Map<number, Routine>();
  for (const { oid, name, volatile } of parts.builtins) {
    const decided = builtinEffect(name, volatile);
    if (decided === HARMLESS) continue;
    routines.set(oid, {
      ...{ oid, schema: 'pg_catalog', name, language: 'internal', body: null, definition: '' },
      ...{ decided, searchPath: [], support: [], argumentDefaults: [] },
      transitionTables: new Set<string>(),
    });
  }
  for (const row of parts.routines) routines.set(row.oid, routineOf(row));
  return routines;
}

function routineOf(row: RoutineRow): Routine {
  const readable = row.language === 'sql' || row.language === 'plpgsql';
  const path = row.config?.find((setting) => setting.startsWith('search_path='));
  return {
    oid: row.oid,
    schema: row.schema,
    name: row.name,
    language: row.language,
    body: readable ? row.body : null,
    definition: row.definition ?? '',
    decided:
      readable || row.extension === null ? undefined : extensionEffect(row.extension, row.name),
    searchPath: path === undefined ? [] : parseSearchPath(path.slice('search_path='.length), ''),
    support: row.support ?? [],
    argumentDefaults: referencesOf(row.references).routines,
    transitionTables: new Set(),
  };
}

const KEY_ACTIONS: Readonly<Record<string, KeyAction>> = { c: 'delete', n: 'update', d: 'update' };

function addForeignKeys(parts: CatalogParts, relations: ReadonlyMap<number, Relation>): void {
  for (const row of parts.foreignKeys) {
    relations.get(row.to)?.referencedBy.push({
      referencing: row.from,
      referencingColumns: new Set(row.fromColumns),
      referencedColumns: new Set(row.toColumns),
      computed: row.computed,
      onUpdate: row.onUpdate in KEY_ACTIONS ? 'update' : 'none',
      onDelete: KEY_ACTIONS[row.onDelete] ?? 'none',
    });
  }
}

/** Bits of pg_trigger.tgtype. */
const TRIGGER = { row: 1, before: 2, insert: 4, delete: 8, update: 16, truncate: 32 } as const;

function addTriggers(
  parts: CatalogParts,
  relations: ReadonlyMap<number, Relation>,
  routines: ReadonlyMap<number, Routine>,
): void {
  // D is disabled; O and R fire in one of the two replication roles, A in both.
  const dormant = parts.settings[0]?.replicationRole === 'replica' ? ['D', 'O'] : ['D', 'R'];
  for (const row of parts.triggers) {
    for (const name of row.transitionTables) routines.get(row.routine)?.transitionTables.add(name);
    if (dormant.includes(row.enabled)) continue;
    const anyColumn = row.computed || row.columns.length === 0;
    relations.get(row.relation)?.triggers.push({
      routine: row.routine,
      actions: triggerActions(row),
      beforeRow: (row.type & TRIGGER.row) !== 0 && (row.type & TRIGGER.before) !== 0,
      columns: anyColumn ? undefined : new Set(row.columns),
      condition: referencesOf(row.references).routines,
    });
  }
}

function triggerActions({ type }: TriggerRow): number {
  return (
    ((type & TRIGGER.insert) !== 0 ? Action.insert : 0) |
    ((type & TRIGGER.update) !== 0 ? Action.update : 0) |
    ((type & TRIGGER.delete) !== 0 ? Action.delete : 0) |
    ((type & TRIGGER.truncate) !== 0 ? Action.truncate : 0)
  );
}

const RULE_ACTIONS: Readonly<Record<string, number>> = {
  ...{ '2': Action.update, '3': Action.insert, '4': Action.delete },
};

function addRules(parts: CatalogParts, relations: ReadonlyMap<number, Relation>): void {
  for (const row of parts.rules) {
    const relation = relations.get(row.relation);
    const found = referencesOf(row.references);
    const action = RULE_ACTIONS[row.event];
    if (action === undefined) relation?.definition.push(found);
    else relation?.rules.push({ ...found, action });
  }
}

function implicitOf(parts: CatalogParts, routines: ReadonlyMap<number, Routine>): number[] {
  return parts.implicit
    .map((row) => row.routine)
    .filter((oid) => {
      // In C they are the machinery of a type: they compare and convert, and have no business with tables.
      const language = routines.get(oid)?.language;
      return language !== 'c' && language !== 'internal';
    });
}

function referencesOf(all: readonly Reference[]): References {
  const of = (kind: string): number[] =>
    all
      .filter((reference) => reference.startsWith(kind))
      .map((reference) => Number(reference.slice(1)));
  return { relations: of('r'), routines: of('f') };
}
