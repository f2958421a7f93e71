import type { ReadClosure } from '../catalog';
import { EVERYTHING } from '../operation';
import type { ResolvedOptions } from '../resolve-options';
import type { LiveWriteView, StatementView } from '../routing';
import { createAnalyser, suspicious, type Analysis } from '../statement';
import { CurrentCatalog, type CurrentCatalogParts } from './current-catalog';
import { factsOf } from './facts';
import { NameMatchers } from './name-matchers';
import type { Statement } from './statement';
import { noTable, parseTableName, type TableName } from './table-name';

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
/** The answer of {@link Knowledge.touched} for a statement that reads none of however many tables. */
export const NONE_TOUCHED: readonly LiveWriteView['touched'][] = Object.freeze([]);
const NO_TABLES: ReadonlyMap<string, string> = new Map();
const ALL: readonly string[] = Object.freeze([EVERYTHING]);
/** Jobs may make ever new ones; one that was let go costs a look at the catalog. */
const MOST_TEMPORARY = 1000;

/**
 * What statements read and write: the text's own words (statement room) closed over what the
 * database adds (catalog room). Until the catalog is read every write is a write to everything.
 */
export class Knowledge {
  /** The catalog that statements are held against. */
  readonly catalog: CurrentCatalog;
  readonly #warn: (message: string) => void;
  readonly #analyser = createAnalyser();
  readonly #names = new NameMatchers();
  #ignored: ReadonlySet<string> = new Set();
  #anySchema = false;
  /** Temporary tables made here: of no use to look for in the catalog, they come and go. */
  readonly #temporary = new Set<string>();

  constructor(
    options: Pick<ResolvedOptions, 'ignoreWrites' | 'relatedTables'>,
    parts: Pick<CurrentCatalogParts, 'query' | 'warn' | 'onForeignChange'>,
  ) {
    this.#warn = parts.warn;
    this.catalog = new CurrentCatalog({
      ...parts,
      relatedTables: options.relatedTables,
      onUse: (catalog) => {
        this.#ignored = new Set(
          options.ignoreWrites.flatMap((table) => {
            const found = catalog.resolve(parseTableName(table));
            if (found.length === 0)
              parts.warn(`ignoreWrites: ${noTable(table)}: it is left out while that is so.`);
            return found;
          }),
        );
        const { writes, unknown, because = 'by way of operators or casts' } = catalog.implicit;
        if (!writes && !unknown) return;
        parts.warn(`no read can be told from a write, so all go to the primary (${because}).`);
      },
    });
  }

  /**
   * Every table that write records may name, with the name that it has in all processes, whatever
   * their search path; the same object while the catalog is the same.
   */
  get tables(): ReadonlyMap<string, string> {
    return this.catalog.certain?.fullNames ?? NO_TABLES;
  }

  /** The name of a table of write records in all processes; its own where the catalog has none. */
  fullNameOf(table: string): string {
    return this.catalog.latest?.fullNames.get(table) ?? table;
  }

  /** All that a write to a table changes, whatever the write was; `*` when that can't be told. */
  changedBy(relation: TableName): readonly string[] {
    const catalog = this.catalog.certain;
    if (!catalog) return ALL;
    const facts = { reads: [], functions: [], identifiers: [] };
    const writes = [{ relation, actions: ['insert', 'update', 'delete', 'truncate'] }];
    const closure = catalog.writeClosure({ ...facts, writes }, { anySchema: this.#anySchema });
    if (closure.missing.length > 0) {
      this.#lookFor(closure.missing);
      const names = closure.missing.join(', ');
      this.#warn(`markWritten: ${noTable(names)}: it counts as a write to every table.`);
    }
    return closure.unknown ? ALL : closure.tables;
  }

  /** Warns of what `loader` says it reads and the database does not have. False: not known yet. */
  warnOfMissing(loader: string, relations: readonly TableName[]): boolean {
    const catalog = this.catalog.certain;
    if (!catalog) return false;
    const facts = { reads: relations, functions: [], identifiers: [] };
    const { missing } = catalog.readClosure(facts, { anySchema: this.#anySchema });
    this.#lookFor(missing);
    for (const name of missing) {
      this.#warn(`${loader}: reads: ${noTable(name)}: every write clears the loader.`);
    }
    return true;
  }

  /** Whether the statement is a read, by its text and by what the functions and views in it do. */
  view(statement: Statement): StatementView {
    const catalog = this.catalog.certain;
    if (!statement.view || statement.viewedWith !== catalog) {
      statement.view = this.#view(statement);
      statement.viewedWith = catalog;
    }
    return statement.view;
  }

  #view(statement: Statement): StatementView {
    const { text } = statement;
    if (text === undefined || statement.writesInDisguise) {
      return { nature: 'not-a-read', primaryOnly: false, feedsWrite: false };
    }
    const feedsWrite = statement.frame.feedsWrite?.active === true;
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

  /** Which of the live tables the statement reads; `NONE_TOUCHED` where that is soon said. */
  touched(statement: Statement, tables: readonly string[]): readonly LiveWriteView['touched'][] {
    const { text } = statement;
    this.catalog.checkFingerprint();
    const catalog = this.catalog.certain;
    if (text === undefined || !catalog) return tables.map(() => 'unknown');
    const named = tables.includes(EVERYTHING)
      ? tables.filter((table) => table !== EVERYTHING)
      : tables;
    if (!hasEffect(catalog.implicit) && !this.#names.lead(catalog, named, text)) {
      return named === tables
        ? NONE_TOUCHED
        : tables.map((table) => (table === EVERYTHING ? 'unknown' : 'no'));
    }
    const reads = this.reads(statement);
    return tables.map((table) => {
      if (table === EVERYTHING) return 'unknown';
      if (reads.tables.includes(table)) return 'yes';
      return reads.unknown ? 'unknown' : 'no';
    });
  }

  /**
   * What the statement changes; `undefined` when it changes nothing. On a standby it is refused, and
   * comes back, when it changes anything that its text does not show.
   */
  effect(statement: Statement, onStandby: boolean): Effect | undefined {
    if (statement.text === undefined || statement.writesInDisguise) {
      return everything('possible', false);
    }
    if (this.view(statement).nature !== 'not-a-read') {
      // A view or a policy may hide a write from whoever has no catalog to look into.
      const hidden = !onStandby && !this.catalog.certain && this.#readsSomething(statement);
      return hidden ? everything('none', false) : undefined;
    }
    const analysis = this.#analyse(statement);
    if (analysis.setsSearchPath) this.#anySchema = true;
    for (const { relation } of analysis.writes) {
      if (relation.schema === 'pg_temp') this.#noteTemporary(relation.name);
    }
    if (analysis.kind === 'transaction' || analysis.kind === 'session') return undefined;
    const single = analysis.statements === 1;
    this.catalog.checkFingerprint();
    if (analysis.changesCatalog) return everything('certain', single);
    this.catalog.start();
    if (analysis.writesUnknown) return everything('possible', single);
    const catalog = this.catalog.certain;
    if (!catalog) return everything('none', single);
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

  #noteTemporary(name: string): void {
    if (this.#temporary.size >= MOST_TEMPORARY) this.#temporary.clear();
    this.#temporary.add(name);
  }

  #lookFor(missing: readonly string[]): void {
    if (missing.length === 0) return;
    this.catalog.lookFor(missing.filter((name) => !this.#temporary.has(name)));
  }

  #readsSomething(statement: Statement): boolean {
    const { reads, readsUnknown } = this.#analyse(statement);
    return readsUnknown || reads.length > 0;
  }

  #analyse(statement: Statement): Analysis {
    const { text = '\0', builtInsert } = statement;
    return (statement.analysis ??= builtInsert
      ? this.#analyser.analyseBuiltInsert(text)
      : this.#analyser.analyse(text));
  }

  #readClosure(analysis: Analysis, statement: Statement): ReadClosure | undefined {
    const catalog = this.catalog.certain;
    if (!catalog) return undefined;
    const closure = catalog.readClosure(factsOf(analysis), this.#resolution(statement));
    this.#lookFor(closure.missing);
    return closure;
  }

  #resolution(statement: Statement): { anySchema: boolean } {
    return { anySchema: this.#anySchema || statement.ownSearchPath };
  }

  /** Whether the text may touch what is the primary's, or what may write: found out by a look at it. */
  #needsALook(text: string): boolean {
    const catalog = this.catalog.latest;
    if (!catalog) return false;
    return hasEffect(catalog.implicit) || this.#names.lead(catalog, NOTHING, text);
  }
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
