/** What this room is given and what it answers. Every type is structural: callers need no import to satisfy it. */

/** Runs one SQL statement outside any transaction and gives its rows as plain objects. */
export type CatalogQuery = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** A name as a statement writes it, after the server's case folding. `schema` is undefined for a bare name. */
export interface QualifiedName {
  readonly schema: string | undefined;
  readonly name: string;
}

/**
 * How a relation is named in histories, decisions and logs: bare (`users`) in the first schema of
 * the search path that is not a system one, `schema.name` in every other.
 */
export type RelationKey = string;

/** One relation written by a statement or by the body of a function. */
export interface RelationWrite {
  readonly relation: QualifiedName;
  /** `insert`, `update`, `delete`, `truncate`; any other word counts as all of them (`definition` in a body: it makes the relation itself). */
  readonly actions: Iterable<string>;
  /**
   * The columns an UPDATE assigns; undefined: unknown, so any. With them an update that leaves the
   * keys alone doesn't count as a write to everything that references the table ON UPDATE CASCADE.
   */
  readonly columns?: Iterable<string> | undefined;
  /** TRUNCATE ... CASCADE. Default: false. */
  readonly cascade?: boolean | undefined;
}

/** What the text of a statement says by itself; the catalog adds the rest. */
export interface StatementFacts {
  readonly reads: Iterable<QualifiedName>;
  readonly writes: Iterable<RelationWrite>;
  readonly functions: Iterable<QualifiedName>;
  /** Every identifier that may be a hidden call: `u.display` calls `display(users)`. */
  readonly identifiers: Iterable<string>;
}

/** What the body of a function says by itself. */
export interface BodyFacts extends StatementFacts {
  /** The body reads what can't be told from its text (dynamic SQL, unparsable text). */
  readonly readsUnknown: boolean;
  /** The body may write what can't be told from its text. */
  readonly writesUnknown: boolean;
  /** The body locks rows or tables. Default: false. */
  readonly locking?: boolean | undefined;
  /** The body holds DDL, so it may change anything. Default: false. */
  readonly changesCatalog?: boolean | undefined;
  /** The body changes the search path, so a bare name may be of any schema. Default: false. */
  readonly setsSearchPath?: boolean | undefined;
  /** What each statement of the body is; anything but `read` and `write` makes it no read. */
  readonly kinds?: readonly string[] | undefined;
}

/**
 * Reads the body of a function written in SQL or PL/pgSQL. `definition` is the whole CREATE statement
 * (`pg_get_functiondef`), from which alone parameters and a body in standard SQL can be understood.
 */
export type AnalyseBody = (
  language: 'sql' | 'plpgsql',
  body: string,
  definition: string,
) => BodyFacts;

export interface CatalogOptions {
  readonly analyseBody: AnalyseBody;
  /** Told once, in a sentence, of each thing that could not be read and what follows from it. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /**
   * What a write to a table also changes, by table name (`orders` or `shop.orders`). It is added to
   * what the catalog says, and replaces "unknown" where triggers and rules of that table can't be read.
   * Default: none.
   */
  readonly relatedTables?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** How names are looked up. */
export interface ResolveOptions {
  /** A bare name stands for that name in every schema, not only on the search path. Default: false. */
  readonly anySchema?: boolean | undefined;
}

/** Everything a statement can change. */
export interface WriteClosure {
  readonly tables: readonly RelationKey[];
  /** Something reached can't be read: the statement may change any table. */
  readonly unknown: boolean;
  /** Names the catalog doesn't have (then `unknown` is set too): the catalog may be old. */
  readonly missing: readonly string[];
  /** Why `unknown` is set, for people. */
  readonly because: string | undefined;
}

/** Everything a statement can read. */
export interface ReadClosure {
  readonly tables: readonly RelationKey[];
  /** Something reached can't be read: the statement may read any table. */
  readonly unknown: boolean;
  /** Reads what only the primary has or what differs between nodes: temporary and unlogged relations, sequences, foreign tables, server state. */
  readonly primaryOnly: boolean;
  /** May write, lock, notify or change the session, so it is not a read. Mark its write closure before sending it. */
  readonly writes: boolean;
  /** Names the catalog doesn't have (then `unknown` is set too): the catalog may be old. */
  readonly missing: readonly string[];
  /** Why one of the flags is set, for people. */
  readonly because: string | undefined;
}

/** What the database adds to a statement, as of one reading of its catalog. Immutable. */
export interface Catalog {
  /** What {@link readFingerprint} gave right before the catalog was read. */
  readonly fingerprint: string;
  /** A part could not be read for a reason that may pass (a time-out, a lost connection). */
  readonly incomplete: boolean;
  /** The schemas a bare name is looked up in, in order, with the implicit ones. */
  readonly searchPath: readonly string[];
  /** What any statement may touch without naming it, by way of casts, operators and domains. Usually empty. */
  readonly implicit: ReadClosure;

  /**
   * Every relation that a closure may name, with its schema and name: its key is another one where
   * another schema is the default.
   */
  readonly fullNames: ReadonlyMap<RelationKey, string>;

  keyOf(schema: string, name: string): RelationKey;
  /** Every relation a name may stand for. Empty: the catalog has none, treat as unknown. */
  resolve(name: QualifiedName, options?: ResolveOptions): readonly RelationKey[];
  /** The same frozen object for the same facts. */
  writeClosure(facts: StatementFacts, options?: ResolveOptions): WriteClosure;
  /** The same frozen object for the same facts. */
  readClosure(
    facts: Pick<StatementFacts, 'reads' | 'functions' | 'identifiers'>,
    options?: ResolveOptions,
  ): ReadClosure;
  /**
   * Lower-cased bare names that can mean a read of one of `tables` when they stand in a text: tables,
   * what is built on them, functions reading them; always with the names whose reading is unknown or
   * the primary's. The same set for the same tables.
   */
  namesReading(tables: Iterable<RelationKey>): ReadonlySet<string>;
  /** Whether a call can't write, lock, change state or read what can't be told. It may read known tables. */
  isHarmlessFunction(name: QualifiedName, options?: ResolveOptions): boolean;
}
