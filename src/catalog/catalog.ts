import { ReadClosures } from './closure-read';
import { WriteClosures } from './closure-write';
import type { Effects } from './effects';
import { resolveFacts, type ResolvedFacts } from './facts';
import { Memo } from './memo';
import type { Model } from './model';
import type { Names } from './names';
import { ReadGraph } from './reach';
import { ReadersIndex } from './readers-index';
import type {
  Catalog,
  QualifiedName,
  ReadClosure,
  RelationKey,
  ResolveOptions,
  StatementFacts,
  WriteClosure,
} from './types';

interface CatalogInput {
  readonly fingerprint: string;
  readonly incomplete: boolean;
  readonly searchPath: readonly string[];
  readonly defaultSchema: string;
  readonly model: Model;
  readonly names: Names;
  readonly effects: Effects;
}

/** Answers from one {@link Model}; closures are worked out when first asked for, and kept. */
export class LoadedCatalog implements Catalog {
  readonly fingerprint: string;
  readonly incomplete: boolean;
  readonly searchPath: readonly string[];
  readonly implicit: ReadClosure;
  readonly fullNames: ReadonlyMap<RelationKey, string>;
  readonly #keyOf: (schema: string, name: string) => RelationKey;
  readonly #names: Names;
  readonly #reads: ReadClosures;
  readonly #writes: WriteClosures;
  readonly #readers: ReadersIndex;
  readonly #readMemo = new Memo<ReadClosure>();
  readonly #writeMemo = new Memo<WriteClosure>();

  constructor(input: CatalogInput) {
    const { searchPath, defaultSchema, model, names, effects } = input;
    this.fingerprint = input.fingerprint;
    this.incomplete = input.incomplete;
    this.searchPath = Object.freeze([...searchPath]);
    this.#keyOf = keysIn(defaultSchema);
    this.#names = names;
    this.fullNames = new Map(
      [...model.relations.values()].map(({ key, schema, name }) => [key, `${schema}.${name}`]),
    );
    const graph = new ReadGraph(model, effects);
    this.#reads = new ReadClosures(model, graph, effects);
    this.#writes = new WriteClosures(model, graph, effects);
    this.implicit = this.#reads.ofFacts(resolveFacts(NOTHING, names, { anySchema: false }), false);
    this.#readers = new ReadersIndex(model, this.#reads, this.implicit);
  }

  keyOf(schema: string, name: string): RelationKey {
    return this.#keyOf(schema, name);
  }

  resolve(name: QualifiedName, options: ResolveOptions = {}): readonly RelationKey[] {
    const found = this.#names.relations(name, { anySchema: options.anySchema === true });
    return found.map((relation) => relation.key);
  }

  writeClosure(facts: StatementFacts, options: ResolveOptions = {}): WriteClosure {
    const anySchema = options.anySchema === true;
    const resolved = resolveFacts(facts, this.#names, { anySchema });
    return this.#writeMemo.get(memoKey(resolved, anySchema), () =>
      this.#writes.ofFacts(resolved, anySchema),
    );
  }

  readClosure(
    { reads, functions, identifiers }: Pick<StatementFacts, 'reads' | 'functions' | 'identifiers'>,
    options: ResolveOptions = {},
  ): ReadClosure {
    const anySchema = options.anySchema === true;
    const facts = { reads, functions, identifiers, writes: [] };
    const resolved = resolveFacts(facts, this.#names, { anySchema });
    return this.#readMemo.get(memoKey(resolved, anySchema), () =>
      this.#reads.ofFacts(resolved, anySchema),
    );
  }

  namesReading(tables: Iterable<RelationKey>): ReadonlySet<string> {
    return this.#readers.namesReading(tables);
  }

  isHarmlessFunction(name: QualifiedName, options: ResolveOptions = {}): boolean {
    const anySchema = options.anySchema === true;
    const routines = this.#names.routines(name, { anySchema });
    if (routines === undefined) return false;
    return routines.every((routine) => {
      const closure = this.#readMemo.get(`routine ${routine.oid} ${String(anySchema)}`, () =>
        this.#reads.ofRoutine(routine, anySchema),
      );
      return !closure.unknown && !closure.writes && !closure.primaryOnly;
    });
  }
}

const NOTHING: StatementFacts = { reads: [], writes: [], functions: [], identifiers: [] };

/** How relations are named where bare names mean this schema. */
export function keysIn(defaultSchema: string): (schema: string, name: string) => RelationKey {
  return (schema, name) => (schema === defaultSchema ? name : `${schema}.${name}`);
}

function memoKey(facts: ResolvedFacts, anySchema: boolean): string {
  const { reads, writes, routines, ...rest } = facts;
  return JSON.stringify([
    anySchema,
    reads.map((relation) => relation.oid),
    routines.map((routine) => routine.oid),
    writes.map(({ relation, actions, columns, cascade }) => [
      ...[relation.oid, actions, cascade, columns && [...columns]],
    ]),
    rest,
  ]);
}
