import { isTemporarySchema } from './nodes';
import type { Routine } from './routine';
import type {
  Analysis,
  AnalysisProblem,
  FunctionName,
  RelationName,
  StatementKind,
  TransactionCommand,
  WriteTarget,
} from './types';
import { WriteAction } from './types';

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** What has been found in a text so far; everything once, in order of appearance. */
export class Findings {
  readonly kinds: StatementKind[] = [];
  readonly transactions: TransactionCommand[] = [];
  readonly identifiers = new Set<string>();
  /** Temporary functions made here, whose bodies are read as part of the text. */
  readonly ownFunctions = new Set<string>();
  /** Bodies still to be read. */
  readonly routines: Routine[] = [];
  readsUnknown = false;
  writesUnknown = false;
  locking = false;
  setsSearchPath = false;
  permanentDefinitions = 0;
  temporaryDefinitions = 0;
  readonly #reads = new Map<string, RelationName>();
  readonly #writes = new Map<string, WriteTarget>();
  readonly #functions = new Map<string, FunctionName>();

  /** Whether a relation is changed by anything but DDL. */
  get modifies(): boolean {
    for (const { actions } of this.#writes.values()) {
      if ((actions & ~WriteAction.definition) !== 0) return true;
    }
    return false;
  }

  read(relation: RelationName): void {
    this.#reads.set(keyOf(relation), relation);
  }

  /** `assigned`: the columns of an update; any, unless they are given. */
  write(
    relation: RelationName,
    actions: number,
    cascade = false,
    assigned?: ReadonlySet<string>,
  ): void {
    const key = keyOf(relation);
    const known = this.#writes.get(key);
    const columns = (actions & WriteAction.update) === 0 ? NO_COLUMNS : assigned;
    this.#writes.set(key, {
      relation,
      actions: actions | (known?.actions ?? 0),
      cascade: cascade || known?.cascade === true,
      columns: known ? union(known.columns, columns) : columns,
    });
  }

  call(name: FunctionName): void {
    this.#functions.set(keyOf(name), name);
  }

  everythingUnknown(): void {
    this.readsUnknown = true;
    this.writesUnknown = true;
  }

  /** Counts a DDL statement. */
  define(temporary: boolean): void {
    if (temporary) this.temporaryDefinitions += 1;
    else this.permanentDefinitions += 1;
  }

  /**
   * Takes over what a part of the text does: one of its statements, or a routine that runs with it.
   */
  include(other: Findings): void {
    this.#includeNames(other);
    for (const { relation, actions, cascade, columns } of other.#writes.values())
      this.write(relation, actions, cascade, columns);
    this.transactions.push(...other.transactions);
    this.routines.push(...other.routines);
    for (const name of other.ownFunctions) this.ownFunctions.add(name);
    this.writesUnknown ||= other.writesUnknown;
    this.locking ||= other.locking;
    this.setsSearchPath ||= other.setsSearchPath;
    this.permanentDefinitions += other.permanentDefinitions;
    this.temporaryDefinitions += other.temporaryDefinitions;
  }

  /** Takes over what a statement names that is planned only, never run. */
  plan(other: Findings): void {
    this.#includeNames(other);
    for (const { relation } of other.#writes.values()) this.read(relation);
    this.readsUnknown ||= other.routines.length > 0;
  }

  #includeNames(other: Findings): void {
    for (const relation of other.#reads.values()) this.read(relation);
    for (const name of other.#functions.values()) this.call(name);
    for (const identifier of other.identifiers) this.identifiers.add(identifier);
    this.readsUnknown ||= other.readsUnknown;
  }

  toAnalysis(): Analysis {
    return Object.freeze<Analysis>({
      kind: this.#kind(),
      kinds: Object.freeze(this.kinds),
      statements: this.kinds.length,
      reads: Object.freeze([...this.#reads.values()]),
      writes: Object.freeze([...this.#writes.values()]),
      readsUnknown: this.readsUnknown,
      writesUnknown: this.writesUnknown,
      locking: this.locking,
      functions: Object.freeze(this.#calledFunctions()),
      identifiers: this.identifiers,
      transaction: this.transactions.at(-1)?.name,
      transactions: Object.freeze(this.transactions),
      setsSearchPath: this.setsSearchPath,
      changesCatalog: this.permanentDefinitions > 0,
      temporary: this.temporaryDefinitions > 0 && this.permanentDefinitions === 0,
      problem: undefined,
    });
  }

  /** A function of pg_temp whose body was read here needs no judging by name. */
  #calledFunctions(): FunctionName[] {
    return [...this.#functions.values()].filter(
      ({ schema, name }) => !(isTemporarySchema(schema) && this.ownFunctions.has(name)),
    );
  }

  #kind(): StatementKind {
    // Temporary objects beside other statements are their tools, not their purpose.
    let kinds = new Set(this.kinds);
    if (this.temporaryDefinitions > 0 && this.permanentDefinitions === 0 && kinds.size > 1)
      kinds = new Set([...kinds].filter((kind) => kind !== 'definition'));
    if (kinds.has('unknown')) return 'unknown';
    if (kinds.size === 2 && kinds.has('read') && kinds.has('write')) return 'write';
    const [kind = 'other'] = kinds;
    if (kinds.size > 1) return 'other';
    return kind === 'read' && this.modifies ? 'write' : kind;
  }
}

function keyOf({ schema, name }: RelationName): string {
  return schema === undefined ? name : `${name}\u0000${schema}`;
}

/** The analysis of a text that can't be read: it may touch anything. */
export function unknownAnalysis(problem: AnalysisProblem): Analysis {
  return Object.freeze<Analysis>({
    kind: 'unknown',
    kinds: [],
    statements: 0,
    reads: [],
    writes: [],
    readsUnknown: true,
    writesUnknown: true,
    locking: true,
    functions: [],
    identifiers: new Set<string>(),
    transaction: undefined,
    transactions: [],
    setsSearchPath: true,
    changesCatalog: true,
    temporary: false,
    problem,
  });
}

function union(
  one: ReadonlySet<string> | undefined,
  other: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (one === undefined || other === undefined) return undefined;
  return other.size === 0 ? one : new Set([...one, ...other]);
}
