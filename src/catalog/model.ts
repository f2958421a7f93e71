import type { CallEffect } from './builtin';
import type { RelationKey } from './types';

/** Object ids of what an expression, a view or a rule mentions. */
export interface References {
  readonly relations: readonly number[];
  readonly routines: readonly number[];
}

/** A foreign key, seen from the relation it references. */
export interface ForeignKey {
  readonly referencing: number;
  readonly referencingColumns: ReadonlySet<string>;
  readonly referencedColumns: ReadonlySet<string>;
  /** A referenced column is computed, so any update may change it. */
  readonly computed: boolean;
  /** What is done to the referencing rows. */
  readonly onUpdate: KeyAction;
  readonly onDelete: KeyAction;
}

export type KeyAction = 'none' | 'delete' | 'update';

export interface Trigger {
  readonly routine: number;
  /** Bits of {@link Action}. */
  readonly actions: number;
  /** Runs before the change of a row and may replace the new row. */
  readonly beforeRow: boolean;
  /** The columns of UPDATE OF; undefined: any. */
  readonly columns: ReadonlySet<string> | undefined;
  /** Functions called by its WHEN clause. */
  readonly condition: readonly number[];
}

export interface Rule extends References {
  /** One bit of {@link Action}. */
  readonly action: number;
}

/** The bits of what is done to a relation. */
export const Action = { insert: 1, update: 2, delete: 4, truncate: 8, all: 15 } as const;

export interface Relation {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly key: RelationKey;
  readonly kind: 'table' | 'view' | 'materialized view' | 'sequence' | 'foreign table';
  readonly unlogged: boolean;
  /** Partitions and inheriting tables, one level down. */
  readonly children: number[];
  /** What row-level security looks at. */
  readonly policies: References[];
  /** What a view or a materialized view selects from. */
  readonly definition: References[];
  /** A write to this view is passed on to what it selects from. */
  readonly updatable: boolean;
  /** Foreign keys that reference this relation. */
  readonly referencedBy: ForeignKey[];
  readonly triggers: Trigger[];
  readonly rules: Rule[];
  /** Functions called by defaults, checks, generated columns and indexes. */
  readonly expressions: Set<number>;
  /** Columns an update must assign to move a row to another partition; undefined: any update may; empty: none can. */
  partitionColumns: ReadonlySet<string> | undefined;
  /** All columns, where they matter. */
  columns: ReadonlySet<string> | undefined;
  /** What the user says that a write also changes. */
  related: readonly number[] | undefined;
}

export interface Routine {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly language: string;
  /** Its text in SQL or PL/pgSQL; null for other languages. */
  readonly body: string | null;
  /** The CREATE statement that makes it; empty where the body is null. */
  readonly definition: string;
  /** Set where it is decided by a list; then nothing else counts. */
  readonly decided: CallEffect | undefined;
  /** The schemas of its own SET search_path. */
  readonly searchPath: readonly string[];
  /** Functions an aggregate is made of. */
  readonly support: readonly number[];
  /** Functions called by the defaults of its arguments. */
  readonly argumentDefaults: readonly number[];
  /** Names that mean rows of the statement at hand, in the triggers that run it. */
  readonly transitionTables: Set<string>;
}

/** The catalog as read: objects by id. */
export interface Model {
  readonly relations: ReadonlyMap<number, Relation>;
  /** Without the harmless ones of the server itself. */
  readonly routines: ReadonlyMap<number, Routine>;
  /** Functions that run without being named: behind casts, operators, domains. */
  readonly implicit: readonly number[];
  /** Why no read can be closed over: a part of the catalog could not be read. */
  readonly readsUnknown: string | undefined;
  readonly writesUnknown: string | undefined;
}

/** For messages: a function by its full name. */
export function describeRoutine(routine: Pick<Routine, 'schema' | 'name'>): string {
  return `function ${routine.schema}.${routine.name}`;
}
