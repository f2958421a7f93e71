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
    const walk = new Walk();
    walk.add(relations, routines);
    for (let step = walk.next(); step !== undefined; step = walk.next()) {
      if (step.relation !== undefined) this.#expandRelation(step.relation, walk);
      if (step.routine !== undefined) this.#expandRoutine(step.routine, anySchema, walk);
    }
    return walk;
  }

  /** Functions by id; harmless ones of the server have none. */
  routinesOf(oids: Iterable<number>): Routine[] {
    return collect(oids, this.model.routines);
  }

  relationsOf(oids: Iterable<number>): Relation[] {
    return collect(oids, this.model.relations);
  }

  #expandRelation(relation: Relation, walk: Walk): void {
    walk.add(this.relationsOf(relation.children), []);
    this.#addReferences(relation.policies, walk);
    // A materialized view answers from its own rows.
    if (relation.kind === 'view') this.#addReferences(relation.definition, walk);
  }

  #expandRoutine(routine: Routine, anySchema: boolean, walk: Walk): void {
    const effect = this.effects.of(routine, anySchema);
    walk.add(effect.reads, this.routinesOf(effect.calls));
  }

  #addReferences(all: readonly References[], walk: Walk): void {
    for (const { relations, routines } of all) {
      walk.add(this.relationsOf(relations), this.routinesOf(routines));
    }
  }
}

/** What has been met, and what of it is still to be followed. */
class Walk implements Reach {
  readonly relations = new Set<Relation>();
  readonly routines = new Set<Routine>();
  readonly #todo: { readonly relation?: Relation; readonly routine?: Routine }[] = [];

  add(relations: Iterable<Relation>, routines: Iterable<Routine>): void {
    for (const relation of relations) {
      if (this.relations.has(relation)) continue;
      this.relations.add(relation);
      this.#todo.push({ relation });
    }
    for (const routine of routines) {
      if (this.routines.has(routine)) continue;
      this.routines.add(routine);
      this.#todo.push({ routine });
    }
  }

  next(): { readonly relation?: Relation; readonly routine?: Routine } | undefined {
    return this.#todo.pop();
  }
}

function collect<T>(oids: Iterable<number>, from: ReadonlyMap<number, T>): T[] {
  const found: T[] = [];
  for (const oid of oids) {
    const object = from.get(oid);
    if (object !== undefined) found.push(object);
  }
  return found;
}
