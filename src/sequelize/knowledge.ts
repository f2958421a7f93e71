import {
  loadCatalog,
  readFingerprint,
  type Catalog,
  type CatalogQuery,
  type ReadClosure,
} from '../catalog';
import { now } from '../clock';
import type { ResolvedOptions } from '../resolve-options';
import { EVERYTHING } from '../operation';
import type { LiveWriteView, StatementView } from '../routing';
import { createAnalyser, createMatcher, loadParser, suspicious, type Analysis } from '../statement';
import { analyseBody, factsOf } from './facts';
import type { Statement } from './statement';

/** What a statement changes, as far as it can be told. */
export interface Effect {
  /** The tables whose reads it holds back; `['*']` when they are not known. */
  readonly tables: readonly string[];
  /** Written too, but the options say that nobody waits for them. */
  readonly ignored: readonly string[];
  /**
   * Whether it changes the catalog, so that what we know of it is old; `possible` when it runs code
   * that can't be read.
   */
  readonly definition: 'none' | 'possible' | 'certain';
  /** One statement, not several in one text. */
  readonly single: boolean;
}

export interface Reads {
  readonly tables: readonly string[];
  readonly unknown: boolean;
}

const PLAIN: StatementView = Object.freeze({
  nature: 'read',
  primaryOnly: false,
  feedsWrite: false,
});
const NOTHING: readonly string[] = Object.freeze([]);
const ALL: readonly string[] = Object.freeze([EVERYTHING]);
const FINGERPRINT_INTERVAL_MS = 2000;
const RETRY_INTERVAL_MS = 1000;

/**
 * What statements read and write: the text's own words (statement room) closed over what the
 * database adds (catalog room). Until the catalog is read every write is a write to everything.
 */
export class Knowledge {
  readonly #options: ResolvedOptions;
  readonly #query: CatalogQuery;
  readonly #warn: (message: string) => void;
  readonly #onForeignChange: () => void;
  readonly #analyser = createAnalyser();
  readonly #matchers = new WeakMap<ReadonlySet<string>, (sql: string) => boolean>();
  #lastMatcher:
    | {
        readonly catalog: Catalog;
        readonly tables: readonly string[];
        readonly matches: (sql: string) => boolean;
      }
    | undefined;
  #catalog: Catalog | undefined;
  #ignored: ReadonlySet<string> = new Set();
  #loading: Promise<void> | undefined;
  #reloadWanted = false;
  /** Catalog changes under way that a reading of the catalog can't have seen. */
  #changes = 0;
  #anySchema = false;
  /** Names that the newest reading of the catalog did not have either: no reason to read again. */
  readonly #knownMissing = new Set<string>();
  #checkedAt = 0;
  #failedAt = -Infinity;
  #closed = false;

  constructor(
    options: ResolvedOptions,
    query: CatalogQuery,
    warn: (message: string) => void,
    onForeignChange: () => void,
  ) {
    this.#options = options;
    this.#query = query;
    this.#warn = warn;
    this.#onForeignChange = onForeignChange;
  }

  /** Reads the catalog if that has not been done. Rejects when it can't be read. */
  async ready(): Promise<void> {
    if (this.#catalog) return;
    await (this.#loading ?? this.reload());
  }

  /** Reads the catalog anew, also when a reading is under way that may have begun too early. */
  reload(): Promise<void> {
    if (this.#loading) {
      this.#reloadWanted = true;
      return this.#loading;
    }
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Begins to read the catalog, for whoever does not wait for it. */
  start(): void {
    if (this.#catalog || this.#loading || this.#closed) return;
    if (now() - this.#failedAt < RETRY_INTERVAL_MS) return;
    this.reload().catch((error: unknown) => this.#complain(error));
  }

  /** Resolves when nothing runs in the background any more. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#loading?.catch(() => undefined);
  }

  /** All that a write to a table changes, whatever the write was; `*` when that can't be told. */
  changedBy(relation: { schema: string | undefined; name: string }): readonly string[] {
    if (!this.#catalog || this.#changes > 0) return ALL;
    const facts = { reads: [], functions: [], identifiers: [] };
    const writes = [{ relation, actions: ['insert', 'update', 'delete', 'truncate'] }];
    const closure = this.#catalog.writeClosure(
      { ...facts, writes },
      { anySchema: this.#anySchema },
    );
    return closure.unknown ? ALL : closure.tables;
  }

  /** Whether the statement is a read, by its text and by what the functions and views in it do. */
  view(statement: Statement): StatementView {
    return (statement.view ??= this.#view(statement));
  }

  #view(statement: Statement): StatementView {
    const { text } = statement;
    if (text === undefined || statement.writesInDisguise) {
      return { nature: 'not-a-read', primaryOnly: false, feedsWrite: false };
    }
    const feedsWrite = statement.frame.feedsWrite;
    if (!suspicious(text) && !this.#needsALook(text)) {
      return feedsWrite ? { ...PLAIN, feedsWrite } : PLAIN;
    }
    const analysis = this.#analyse(statement);
    if (!isReadByItself(analysis)) {
      return { nature: 'not-a-read', primaryOnly: false, feedsWrite };
    }
    const closure = this.#readClosure(analysis, statement);
    if (!closure || closure.writes) return { nature: 'not-a-read', primaryOnly: false, feedsWrite };
    return {
      nature: analysis.locking ? 'locking-read' : 'read',
      primaryOnly: closure.primaryOnly,
      feedsWrite,
    };
  }

  /** The tables a statement reads, views and policies resolved. */
  reads(statement: Statement): Reads {
    if (statement.text === undefined) return { tables: NOTHING, unknown: true };
    const analysis = this.#analyse(statement);
    const closure = this.#readClosure(analysis, statement);
    if (!closure) return { tables: NOTHING, unknown: true };
    return { tables: closure.tables, unknown: closure.unknown || analysis.readsUnknown };
  }

  /** Which of the live tables the statement reads. */
  touched(statement: Statement, tables: readonly string[]): readonly LiveWriteView['touched'][] {
    const { text } = statement;
    const catalog = this.#catalog;
    this.#checkFingerprint();
    if (text === undefined || !catalog || this.#changes > 0) return tables.map(() => 'unknown');
    const named = tables.filter((table) => table !== EVERYTHING);
    if (!hasEffect(catalog.implicit) && !this.#matcherFor(catalog, named)(text)) {
      return tables.map((table) => (table === EVERYTHING ? 'unknown' : 'no'));
    }
    const reads = this.reads(statement);
    return tables.map((table) => {
      if (table === EVERYTHING) return 'unknown';
      if (reads.tables.includes(table)) return 'yes';
      return reads.unknown ? 'unknown' : 'no';
    });
  }

  /** What the statement changes; `undefined` when it changes nothing. */
  effect(statement: Statement): Effect | undefined {
    if (statement.text === undefined || statement.writesInDisguise) {
      return everything('possible', false);
    }
    if (this.view(statement).nature !== 'not-a-read') return undefined;
    const analysis = this.#analyse(statement);
    if (analysis.setsSearchPath) this.#anySchema = true;
    if (analysis.kind === 'transaction' || analysis.kind === 'session') return undefined;
    const single = analysis.statements === 1;
    this.#checkFingerprint();
    if (analysis.changesCatalog) return everything('certain', single);
    const catalog = this.#catalog;
    if (!catalog) this.start();
    if (analysis.writesUnknown) return everything('possible', single);
    if (!catalog || this.#changes > 0) return everything('none', single);
    const closure = catalog.writeClosure(factsOf(analysis), this.#resolution(statement));
    this.#lookFor(closure.missing);
    if (closure.unknown) {
      // Triggers hardly ever hold DDL, and may run with each row; what is called by name may well.
      const called = analysis.kind !== 'write' || analysis.functions.length > 0;
      return everything(called ? 'possible' : 'none', single);
    }
    if (this.#ignored.size === 0) {
      return { tables: closure.tables, ignored: NOTHING, definition: 'none', single };
    }
    return {
      tables: closure.tables.filter((table) => !this.#ignored.has(table)),
      ignored: closure.tables.filter((table) => this.#ignored.has(table)),
      definition: 'none',
      single,
    };
  }

  /** The PREPARE TRANSACTION in the statement, if any. */
  preparedTransaction(statement: Statement): { id: string | undefined } | undefined {
    if (!this.isTransactionControl(statement)) return undefined;
    return this.#analyse(statement).transactions.find(({ name }) => name === 'prepare');
  }

  /** BEGIN, COMMIT, SAVEPOINT and the like, alone in their text. */
  isTransactionControl(statement: Statement): boolean {
    if (this.view(statement).nature !== 'not-a-read') return false;
    return this.#analyse(statement).kind === 'transaction';
  }

  /** A statement that changes the catalog is about to be sent: until its end nothing is certain. */
  changeBegins(): void {
    this.#changes++;
  }

  /** The change is over. After a commit the catalog is read anew before it is believed again. */
  changeEnds(committed: boolean): void {
    if (committed && !this.#closed) {
      this.#knownMissing.clear();
      this.#reloadAndEnd();
    } else {
      this.#changes--;
    }
  }

  /**
   * Looks whether a statement that ran unreadable code has changed the catalog. On the connection
   * that it ran on: with one of its own it could wait for the pool that this one is missing from.
   */
  async look(query: CatalogQuery): Promise<void> {
    const catalog = this.#catalog;
    if (!catalog || this.#closed) return;
    const fingerprint = await readFingerprint(query).catch(() => undefined);
    if (fingerprint === catalog.fingerprint || this.#catalog !== catalog) return;
    this.changeBegins();
    this.changeEnds(true);
  }

  #reloadAndEnd(): void {
    void this.reload()
      .catch((error: unknown) => {
        this.#catalog = undefined;
        this.#complain(error);
      })
      .finally(() => {
        this.#changes--;
      });
  }

  async #load(): Promise<void> {
    this.#reloadWanted = false;
    await loadParser();
    const catalog = await loadCatalog(this.#query, {
      analyseBody,
      onWarning: this.#warn,
      relatedTables: this.#options.relatedTables,
    });
    this.#checkedAt = now();
    this.#use(catalog);
    if (this.#wantsReload()) await this.#load();
  }

  #wantsReload(): boolean {
    return this.#reloadWanted && !this.#closed;
  }

  #use(catalog: Catalog): void {
    this.#catalog = catalog;
    if (catalog.implicit.writes || catalog.implicit.unknown) {
      this.#warn(
        `no read can be told from a write, so all go to the primary (${catalog.implicit.because ?? 'by way of operators or casts'}).`,
      );
    }
    this.#ignored = new Set(
      this.#options.ignoreWrites.flatMap((table) => catalog.resolve(parseTableName(table))),
    );
  }

  /** Another process may run a migration: look, at most every few seconds, and only after writes. */
  #checkFingerprint(): void {
    const catalog = this.#catalog;
    if (!catalog || this.#closed || now() - this.#checkedAt < FINGERPRINT_INTERVAL_MS) return;
    this.#checkedAt = now();
    readFingerprint(this.#query).then(
      (fingerprint) => {
        if (fingerprint === catalog.fingerprint || this.#catalog !== catalog) return;
        this.#onForeignChange();
        this.#reloadSoon();
      },
      // The next write asks again; what is known stays as good as it was a moment ago.
      (error: unknown) => this.#complain(error),
    );
  }

  /** A name that the catalog does not have may be younger than our reading of it. */
  #lookFor(missing: readonly string[]): void {
    if (missing.length === 0 || missing.every((name) => this.#knownMissing.has(name))) return;
    if (this.#knownMissing.size > 1000) this.#knownMissing.clear();
    for (const name of missing) this.#knownMissing.add(name);
    this.#reloadSoon();
  }

  #reloadSoon(): void {
    if (this.#loading || this.#closed) return;
    this.#changes++;
    this.#reloadAndEnd();
  }

  #analyse(statement: Statement): Analysis {
    const text = statement.text ?? '\0';
    return statement.builtInsert
      ? this.#analyser.analyseBuiltInsert(text)
      : this.#analyser.analyse(text);
  }

  #readClosure(analysis: Analysis, statement: Statement): ReadClosure | undefined {
    if (!this.#catalog || this.#changes > 0) return undefined;
    const closure = this.#catalog.readClosure(factsOf(analysis), this.#resolution(statement));
    this.#lookFor(closure.missing);
    return closure;
  }

  #resolution(statement: Statement): { anySchema: boolean } {
    return { anySchema: this.#anySchema || statement.ownSearchPath };
  }

  /** Whether the text may touch what is the primary's, or what may write: found out by a look at it. */
  #needsALook(text: string): boolean {
    const catalog = this.#catalog;
    if (!catalog) return false;
    if (hasEffect(catalog.implicit)) return true;
    const names = catalog.namesReading(NOTHING);
    return names.size > 0 && this.#matcher(names)(text);
  }

  /** A test for names that may lead to one of the tables; the live tables seldom change between reads. */
  #matcherFor(catalog: Catalog, tables: readonly string[]): (sql: string) => boolean {
    const last = this.#lastMatcher;
    if (
      last?.catalog === catalog &&
      last.tables.length === tables.length &&
      last.tables.every((table, index) => table === tables[index])
    ) {
      return last.matches;
    }
    const matches = this.#matcher(catalog.namesReading(tables));
    this.#lastMatcher = { catalog, tables, matches };
    return matches;
  }

  #matcher(names: ReadonlySet<string>): (sql: string) => boolean {
    let matcher = this.#matchers.get(names);
    if (!matcher) {
      matcher = createMatcher(names);
      this.#matchers.set(names, matcher);
    }
    return matcher;
  }

  #complain(error: unknown): void {
    this.#failedAt = now();
    if (this.#closed) return;
    const message = error instanceof Error ? error.message : String(error);
    this.#warn(
      `the database catalog could not be read (${message}): every write counts as a write to every table until it can be.`,
    );
  }
}

/** `users` or `schema.users`, as the options and `markWritten` take it. */
export function parseTableName(table: string): { schema: string | undefined; name: string } {
  const dot = table.indexOf('.');
  return dot < 0
    ? { schema: undefined, name: table }
    : { schema: table.slice(0, dot), name: table.slice(dot + 1) };
}

/** Whether statements touch something that no name in their text leads to (by casts, operators). */
function hasEffect(implicit: ReadClosure): boolean {
  return implicit.tables.length > 0 || implicit.unknown || implicit.writes || implicit.primaryOnly;
}

function isReadByItself(analysis: Analysis): boolean {
  return analysis.kind === 'read' && analysis.writes.length === 0 && !analysis.writesUnknown;
}

function everything(definition: Effect['definition'], single: boolean): Effect {
  return { tables: ALL, ignored: NOTHING, definition, single };
}
