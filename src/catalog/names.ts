import type { Relation, Routine } from './model';
import type { QualifiedName } from './types';

/** Where a bare name may be. */
export interface Scope {
  readonly anySchema: boolean;
  /** Looked at besides the search path. */
  readonly schemas?: readonly string[];
}

/** Finds objects by the names that statements use. */
export class Names {
  readonly #relations = new Map<string, Relation[]>();
  readonly #routines = new Map<string, Routine[]>();
  readonly #attributes = new Map<string, Routine[]>();
  readonly #path: ReadonlySet<string>;
  readonly #builtins: ReadonlySet<string>;

  /**
   * @param builtins names of the functions of the server itself, listed in `routines` or not.
   * @param attributes ids of the functions that may be called in attribute notation.
   */
  constructor(
    path: readonly string[],
    relations: Iterable<Relation>,
    routines: Iterable<Routine>,
    builtins: ReadonlySet<string>,
    attributes: ReadonlySet<number>,
  ) {
    this.#path = new Set(path);
    this.#builtins = builtins;
    for (const relation of relations) push(this.#relations, relation.name, relation);
    for (const routine of routines) {
      push(this.#routines, routine.name, routine);
      if (attributes.has(routine.oid)) push(this.#attributes, routine.name, routine);
    }
  }

  /** Every relation the name may stand for. */
  relations(name: QualifiedName, scope: Scope): readonly Relation[] {
    return this.#pick(this.#relations.get(name.name), name.schema, scope);
  }

  /** Every function the name may stand for, whatever its arguments; undefined: there is none. Harmless ones of the server are left out. */
  routines(name: QualifiedName, scope: Scope): readonly Routine[] | undefined {
    const found = this.#pick(this.#routines.get(name.name), name.schema, scope);
    const builtin =
      (name.schema === undefined ||
        name.schema === 'pg_catalog' ||
        name.schema === 'information_schema') &&
      this.#builtins.has(name.name);
    return found.length > 0 || builtin ? found : undefined;
  }

  /** The functions that `x.identifier` may call. */
  attributes(identifier: string, scope: Scope): readonly Routine[] {
    return this.#pick(this.#attributes.get(identifier), undefined, scope);
  }

  #pick<T extends { readonly schema: string }>(
    all: readonly T[] | undefined,
    schema: string | undefined,
    scope: Scope,
  ): readonly T[] {
    if (all === undefined) return [];
    if (schema !== undefined) return all.filter((object) => object.schema === schema);
    if (scope.anySchema) return all;
    return all.filter(
      (object) => this.#path.has(object.schema) || scope.schemas?.includes(object.schema) === true,
    );
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** For messages: a name as a statement writes it. */
export function describeName(name: QualifiedName): string {
  return name.schema === undefined ? name.name : `${name.schema}.${name.name}`;
}

/** Whether a name says that it is of a temporary schema, which no catalog reading can know. */
export function isTemporaryName(name: QualifiedName): boolean {
  return name.schema?.startsWith('pg_temp') === true;
}
