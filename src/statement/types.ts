/**
 * A relation as PostgreSQL folds it: unquoted names lower-cased, Unicode escapes resolved, cut at
 * 63 bytes.
 */
export interface RelationName {
  readonly schema: string | undefined;
  readonly name: string;
}

/** A function or procedure as PostgreSQL folds it. */
export interface FunctionName {
  readonly schema: string | undefined;
  readonly name: string;
}

/**
 * What a text is, as a whole.
 *
 * - `read`: nothing but queries; they may lock rows (`locking`) or call functions that write
 * (`functions`)
 * - `write`: INSERT, UPDATE, DELETE, MERGE, TRUNCATE, REFRESH, COPY FROM, also inside WITH or
 * beside reads
 * - `definition`: DDL, SELECT INTO and CREATE TABLE AS included
 * - `transaction`: BEGIN, COMMIT, SAVEPOINT, PREPARE TRANSACTION ...
 * - `session`: SET, RESET, SHOW, LISTEN, DISCARD, PREPARE, SET CONSTRAINTS ...
 * - `other`: LOCK, CALL, DO, COPY TO, VACUUM, EXECUTE, cursors, NOTIFY, texts of mixed kinds
 * - `unknown`: could not be read; see `problem`
 */
export type StatementKind =
  'read' | 'write' | 'definition' | 'transaction' | 'session' | 'other' | 'unknown';

/** Bits of {@link WriteTarget.actions}. */
export const WriteAction = {
  insert: 1,
  update: 2,
  delete: 4,
  truncate: 8,
  definition: 16,
} as const;

/** A relation that a text names as the target of a change. */
export interface WriteTarget {
  readonly relation: RelationName;
  /** The bits of {@link WriteAction} that apply. */
  readonly actions: number;
  /** TRUNCATE or DROP with CASCADE: what depends on the relation changes too. */
  readonly cascade: boolean;
  /** The columns that its updates assign (none, when it is not updated); `undefined`: any. */
  readonly columns: ReadonlySet<string> | undefined;
}

export type TransactionCommandName =
  | 'begin'
  | 'commit'
  | 'rollback'
  | 'savepoint'
  | 'release'
  | 'rollback-to'
  | 'prepare'
  | 'commit-prepared'
  | 'rollback-prepared';

export interface TransactionCommand {
  readonly name: TransactionCommandName;
  /** The global identifier of a prepared transaction, or the name of a savepoint. */
  readonly id: string | undefined;
}

/** Why a text could not be read. */
export type AnalysisProblem =
  | 'parser-not-loaded'
  | 'parser-failed'
  | 'too-long'
  | 'too-complex'
  | 'nul-character'
  | 'syntax'
  | 'language';

/** What a text touches, as far as the text itself tells. Frozen and shared: never to be changed. */
export interface Analysis {
  readonly kind: StatementKind;
  /** One kind a statement, in order; empty when unknown. */
  readonly kinds: readonly StatementKind[];
  readonly statements: number;
  /**
   * Every relation read, also by a write (INSERT ... SELECT, UPDATE ... FROM); the target of a
   * write is not in here.
   */
  readonly reads: readonly RelationName[];
  readonly writes: readonly WriteTarget[];
  /** It may read relations that the text does not show. */
  readonly readsUnknown: boolean;
  /**
   * It may write relations that the text does not show (functions apart: those are to be judged by
   * name).
   */
  readonly writesUnknown: boolean;
  /** FOR UPDATE, SHARE, NO KEY UPDATE or KEY SHARE anywhere, or LOCK TABLE. */
  readonly locking: boolean;
  /**
   * Every function or procedure called, table sampling methods included, operators and casts not.
   */
  readonly functions: readonly FunctionName[];
  /** Names that may call a function in attribute notation: `u.display` may mean `display(u)`. */
  readonly identifiers: ReadonlySet<string>;
  /** The last transaction command. */
  readonly transaction: TransactionCommandName | undefined;
  readonly transactions: readonly TransactionCommand[];
  /** SET or RESET search_path, DISCARD ALL, or a set_config call that may do the same. */
  readonly setsSearchPath: boolean;
  /** Holds DDL outside pg_temp: what is known of the catalog is out of date afterwards. */
  readonly changesCatalog: boolean;
  /** Holds DDL, and all of it only makes or drops temporary objects. */
  readonly temporary: boolean;
  readonly problem: AnalysisProblem | undefined;
}

/** A test of a text; built once, called often. */
export type TextMatcher = (sql: string) => boolean;

export interface AnalyserOptions {
  /**
   * Longest text given to the parser, in UTF-16 units (default 100,000). Ten times that is still
   * shortened to its template first.
   */
  readonly maxLength?: number;
  /** Most analyses kept (default 2,000); 0 keeps none. */
  readonly cacheSize?: number;
  /** Most characters of text kept as keys (default 4,000,000). */
  readonly cacheCharacters?: number;
}

export interface Analyser {
  /**
   * What the text touches. Never throws: what can't be read gives kind `unknown` and a `problem`.
   */
  analyse(sql: string): Analysis;
  /**
   * The same, for an INSERT that Sequelize built. The literals of a long one are not parsed, so
   * that the cost of a megabyte of rows stays near that of looking it over once.
   */
  analyseBuiltInsert(sql: string): Analysis;
}
