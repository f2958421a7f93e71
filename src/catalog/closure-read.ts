import type { Effects } from './effects';
import type { ResolvedFacts } from './facts';
import type { Model, Relation, Routine } from './model';
import type { ReadGraph } from './reach';
import type { ReadClosure } from './types';

/** What a statement reads, with all that the database adds. */
export class ReadClosures {
  constructor(
    private readonly model: Model,
    private readonly graph: ReadGraph,
    private readonly effects: Effects,
  ) {}

  ofFacts(facts: ResolvedFacts, anySchema: boolean): ReadClosure {
    const { missingRoutines, temporaryRoutines } = facts;
    const missing = [...facts.missingReads, ...missingRoutines];
    const routines = [...facts.routines, ...this.graph.routinesOf(this.model.implicit)];
    return this.#close(facts.reads, routines, anySchema, {
      missing,
      unknown: missing.length > 0 ? notInCatalog(missing) : unknownCall(temporaryRoutines),
      primaryOnly: facts.temporary ? 'a temporary table is read' : undefined,
      writes: unknownCall([...missingRoutines, ...temporaryRoutines]),
    });
  }

  /** What reading one relation means. */
  ofRelation(relation: Relation): ReadClosure {
    return this.#close([relation], [], false, NOTHING_BEFOREHAND);
  }

  /** What calling one function means. */
  ofRoutine(routine: Routine, anySchema: boolean): ReadClosure {
    return this.#close([], [routine], anySchema, NOTHING_BEFOREHAND);
  }

  #close(
    relations: Iterable<Relation>,
    routines: Iterable<Routine>,
    anySchema: boolean,
    beforehand: Beforehand,
  ): ReadClosure {
    const reach = this.graph.reach(relations, routines, anySchema);
    let { unknown, primaryOnly, writes } = beforehand;
    unknown ??= this.model.readsUnknown;
    writes ??= this.model.readsUnknown;
    for (const relation of reach.relations) primaryOnly ??= primaryOnlyReason(relation);
    for (const routine of reach.routines) {
      const effect = this.effects.of(routine, anySchema);
      unknown ??= effect.readsUnknown;
      primaryOnly ??= effect.primaryOnly;
      writes ??= effect.writesUnknown ?? effect.acts ?? writesReason(effect.writes);
    }
    return Object.freeze({
      tables: Object.freeze([...new Set([...reach.relations].map((relation) => relation.key))]),
      unknown: unknown !== undefined,
      primaryOnly: primaryOnly !== undefined,
      writes: writes !== undefined,
      missing: Object.freeze(beforehand.missing),
      because: writes ?? unknown ?? primaryOnly,
    });
  }
}

/** What is certain before anything is followed; each is a reason. */
interface Beforehand {
  readonly missing: readonly string[];
  readonly unknown: string | undefined;
  readonly primaryOnly: string | undefined;
  readonly writes: string | undefined;
}

const NOTHING_BEFOREHAND: Beforehand = {
  ...{ missing: [], unknown: undefined, primaryOnly: undefined, writes: undefined },
};

export function unknownCall(routines: readonly string[]): string | undefined {
  const [first] = routines;
  return first === undefined ? undefined : `nothing is known of ${first}`;
}

export function notInCatalog(missing: readonly string[]): string {
  return `${missing.join(', ')} not found in the catalog`;
}

function writesReason(writes: readonly { readonly relation: Relation }[]): string | undefined {
  const first = writes[0];
  return first === undefined ? undefined : `a function that it calls writes ${first.relation.key}`;
}

/**
 * A foreign table is the primary's as well: what it shows is decided by a connection that the node
 * answering makes, to a server of which nothing is known here.
 */
function primaryOnlyReason(relation: Relation): string | undefined {
  if (relation.unlogged) return `${relation.key} is unlogged`;
  if (relation.kind === 'sequence' || relation.kind === 'foreign table') {
    return `${relation.key} is a ${relation.kind}`;
  }
  return undefined;
}
