import type { Effects } from './effects';
import type { Model, References, Relation, Routine } from './model';

/** Everything that reading some relations and calling some functions leads to. */
export interface Reach {
  readonly relations: ReadonlySet<Relation>;
  readonly routines: ReadonlySet<Routine>;
}

/** Follows reads and calls through views, policies, partitions and the bodies of functions, round and round. */
export class ReadGraph {
  constructor(
    private readonly model: Model,
    private readonly effects: Effects,
  ) {}

  reach(relations: Iterable<Relation>, routines: Iterable<Routine>, anySchema: boolean): Reach {
    // A Set visits what is added to it while it is being visited: the sets are their own work lists.
    const seen = { relations: new Set(relations), routines: new Set(routines) };
    for (let size = -1; size !== seen.relations.size + seen.routines.size;) {
      size = seen.relations.size + seen.routines.size;
      for (const relation of seen.relations) this.#expandRelation(relation, seen);
      for (const routine of seen.routines) this.#expandRoutine(routine, seen, anySchema);
    }
    return seen;
  }

  /** Functions by id; harmless ones of the server have none. */
  routinesOf(oids: Iterable<number>): Routine[] {
    return collect(oids, this.model.routines);
  }

  relationsOf(oids: Iterable<number>): Relation[] {
    return collect(oids, this.model.relations);
  }

  #expandRelation(relation: Relation, seen: Mutable): void {
    this.#addReferences([{ relations: relation.children, routines: [] }], seen);
    this.#addReferences(relation.policies, seen);
    // A materialized view answers from its own rows.
    if (relation.kind === 'view') this.#addReferences(relation.definition, seen);
  }

  #expandRoutine(routine: Routine, seen: Mutable, anySchema: boolean): void {
    const effect = this.effects.of(routine, anySchema);
    for (const relation of effect.reads) seen.relations.add(relation);
    for (const called of this.routinesOf(effect.calls)) seen.routines.add(called);
  }

  #addReferences(all: readonly References[], seen: Mutable): void {
    for (const { relations, routines } of all) {
      for (const relation of this.relationsOf(relations)) seen.relations.add(relation);
      for (const routine of this.routinesOf(routines)) seen.routines.add(routine);
    }
  }
}

interface Mutable {
  readonly relations: Set<Relation>;
  readonly routines: Set<Routine>;
}

function collect<T>(oids: Iterable<number>, from: ReadonlyMap<number, T>): T[] {
  const found: T[] = [];
  for (const oid of oids) {
    const object = from.get(oid);
    if (object !== undefined) found.push(object);
  }
  return found;
}
