import { Action, type Relation, type Routine } from './model';
import { describeName, isTemporaryName, type Names, type Scope } from './names';
import type { RelationWrite, StatementFacts } from './types';

export interface ResolvedWrite {
  readonly relation: Relation;
  readonly actions: number;
  /** The columns an UPDATE assigns; undefined: any. */
  readonly columns: ReadonlySet<string> | undefined;
  readonly cascade: boolean;
}

/** The facts of a text with names replaced by the objects they may stand for. */
export interface ResolvedFacts {
  readonly reads: readonly Relation[];
  readonly writes: readonly ResolvedWrite[];
  readonly routines: readonly Routine[];
  /** Reads a relation of a temporary schema. */
  readonly temporary: boolean;
  /** Functions of a temporary schema, of which no more than the name is known. */
  readonly temporaryRoutines: readonly string[];
  readonly missingReads: readonly string[];
  readonly missingWrites: readonly string[];
  /** Functions the catalog doesn't have: their names followed by `()`. */
  readonly missingRoutines: readonly string[];
}

/** Looks up every name of a text. */
export function resolveFacts(facts: StatementFacts, names: Names, scope: Scope): ResolvedFacts {
  const reads = new Set<Relation>();
  const routines = new Set<Routine>();
  const writes: ResolvedWrite[] = [];
  const missingReads: string[] = [];
  const missingWrites: string[] = [];
  const missingRoutines: string[] = [];
  const temporaryRoutines: string[] = [];
  let temporary = false;

  for (const name of facts.reads) {
    const found = names.relations(name, scope);
    for (const relation of found) reads.add(relation);
    if (found.length > 0) continue;
    if (isTemporaryName(name)) temporary = true;
    else missingReads.push(describeName(name));
  }
  for (const write of facts.writes) {
    const found = names.relations(write.relation, scope);
    for (const relation of found) writes.push(resolveWrite(write, relation));
    if (found.length === 0 && !isTemporaryName(write.relation)) {
      missingWrites.push(describeName(write.relation));
    }
  }
  for (const name of facts.functions) {
    const found = names.routines(name, scope);
    for (const routine of found ?? []) routines.add(routine);
    if (found !== undefined) continue;
    (isTemporaryName(name) ? temporaryRoutines : missingRoutines).push(`${describeName(name)}()`);
  }
  for (const identifier of facts.identifiers) {
    for (const routine of names.attributes(identifier, scope)) routines.add(routine);
  }
  return {
    ...{ reads: [...reads], writes, routines: [...routines], temporary },
    ...{ missingReads, missingWrites, missingRoutines, temporaryRoutines },
  };
}

function resolveWrite(write: RelationWrite, relation: Relation): ResolvedWrite {
  const actions = actionBits(write.actions);
  return {
    relation,
    actions: actions ?? Action.all,
    columns:
      actions !== undefined && write.columns !== undefined ? new Set(write.columns) : undefined,
    cascade: write.cascade === true,
  };
}

const ACTIONS: ReadonlyMap<string, number> = new Map([
  ['insert', Action.insert],
  ['update', Action.update],
  ['delete', Action.delete],
  ['truncate', Action.truncate],
]);

/** The bits of what is done; undefined: something that isn't foreseen. */
function actionBits(names: Iterable<string>): number | undefined {
  let bits = 0;
  for (const name of names) {
    const bit = ACTIONS.get(name);
    if (bit === undefined) return undefined;
    bits |= bit;
  }
  return bits === 0 ? undefined : bits;
}
