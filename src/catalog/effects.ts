import type { Bodies } from './bodies';
import type { CallEffect } from './builtin';
import { resolveFacts, type ResolvedWrite } from './facts';
import { describeRoutine, type Relation, type Routine } from './model';
import type { Names, Scope } from './names';
import type { BodyFacts } from './types';

/** What one function does by itself, without what it calls. Reasons are undefined where nothing is to be said. */
export interface RoutineEffect {
  readonly reads: readonly Relation[];
  readonly writes: readonly ResolvedWrite[];
  readonly calls: readonly number[];
  /** Why it may read anything. */
  readonly readsUnknown: string | undefined;
  /** Why it may write anything. */
  readonly writesUnknown: string | undefined;
  /** Why a call is not a read, apart from the tables written. */
  readonly acts: string | undefined;
  /** Why only the primary can answer. */
  readonly primaryOnly: string | undefined;
}

const NOTHING: RoutineEffect = {
  ...{ reads: [], writes: [], calls: [] },
  ...{ readsUnknown: undefined, writesUnknown: undefined, acts: undefined, primaryOnly: undefined },
};

/**
 * Judges functions by what they are made of. What a function is declared to be (STABLE, IMMUTABLE)
 * is never asked: a stable function may call one that writes, and the server lets it.
 */
export class Effects {
  readonly #onPath = new Map<Routine, RoutineEffect>();
  readonly #anySchema = new Map<Routine, RoutineEffect>();

  constructor(
    private readonly names: Names,
    private readonly bodies: Bodies,
  ) {}

  /** @param anySchema whether bare names in the body may be of any schema. */
  of(routine: Routine, anySchema: boolean): RoutineEffect {
    const memo = anySchema ? this.#anySchema : this.#onPath;
    const known = memo.get(routine);
    if (known !== undefined) return known;
    const judged = this.#judge(routine, anySchema);
    const effect = { ...judged, calls: [...judged.calls, ...routine.argumentDefaults] };
    memo.set(routine, effect);
    return effect;
  }

  #judge(routine: Routine, anySchema: boolean): RoutineEffect {
    if (routine.decided !== undefined) return this.#decided(routine, routine.decided);
    if (routine.support.length > 0) return { ...NOTHING, calls: routine.support };
    if (routine.body === null) {
      const because = `${describeRoutine(routine)} is written in ${routine.language}, which can't be read`;
      return { ...NOTHING, readsUnknown: because, writesUnknown: because };
    }
    const facts = this.bodies.of(routine, routine.body);
    const searched = anySchema || facts.setsSearchPath === true;
    return this.#fromFacts(routine, facts, { anySchema: searched, schemas: routine.searchPath });
  }

  #decided(routine: Routine, effect: CallEffect): RoutineEffect {
    const name = describeRoutine(routine);
    const relations = (names: readonly string[]): readonly Relation[] =>
      names.flatMap((relation) =>
        this.names.relations({ schema: undefined, name: relation }, { anySchema: true }),
      );
    const hidden = effect.hidden ? `${name} runs SQL that its caller hands it` : undefined;
    return {
      reads: relations(effect.reads),
      writes: relations(effect.writes).map((relation) => ({
        ...{ relation, actions: 1, columns: undefined, cascade: false },
      })),
      calls: [],
      readsUnknown:
        hidden ??
        (effect.readsAny ? `${name} tells of a relation that its caller names` : undefined),
      writesUnknown: hidden,
      acts: effect.acts ? `${name} locks or changes something` : undefined,
      primaryOnly: effect.primaryOnly ? `${name} answers for one node only` : undefined,
    };
  }

  #fromFacts(routine: Routine, facts: BodyFacts, scope: Scope): RoutineEffect {
    const name = describeRoutine(routine);
    const found = resolveFacts(facts, this.names, scope);
    // Rows of the statement that fired a trigger, and tables the body makes for itself.
    const own = new Set(routine.transitionTables);
    for (const write of facts.writes) {
      if ([...write.actions].includes('definition')) own.add(write.relation.name);
    }
    const missing = (names: readonly string[]): string | undefined => {
      const first = names.find((missed) => !own.has(missed));
      return first === undefined ? undefined : `${name} uses ${first}, which is not in the catalog`;
    };
    const missingRoutine = missing([...found.missingRoutines, ...found.temporaryRoutines]);
    const unreadable = `the body of ${name} can't be read fully`;
    const definition = facts.changesCatalog === true ? `${name} changes definitions` : undefined;
    return {
      reads: found.reads,
      writes: found.writes,
      calls: found.routines.map((called) => called.oid),
      readsUnknown: facts.readsUnknown
        ? unreadable
        : (missing(found.missingReads) ?? missingRoutine),
      writesUnknown: facts.writesUnknown
        ? unreadable
        : (definition ?? missing(found.missingWrites) ?? missingRoutine),
      acts: acts(facts) ? `${name} locks or changes something` : undefined,
      primaryOnly: found.temporary ? `${name} reads a temporary table` : undefined,
    };
  }
}

function acts(facts: BodyFacts): boolean {
  return (
    facts.locking === true ||
    facts.kinds?.some((kind) => kind !== 'read' && kind !== 'write') === true
  );
}
