import { Findings } from './findings';
import { asArray, asObject, fieldsOf } from './nodes';
import type { ParseFailure } from './parser';
import { parseProcedural, parseStatements } from './parser';
import { readProcedure } from './plpgsql';
import { QueryWalk } from './query-walk';
import type { Routine } from './routine';
import { readStatement, readStatements } from './statements';

/** Bodies may define and run others; so deep none does. */
const DEEPEST_BODY = 8;

/**
 * Parses a text and reads its statements, and the bodies that run with it, into the findings. Gives
 * the reason when it can't be parsed.
 */
export function readText(sql: string, findings: Findings, depth = 0): ParseFailure | undefined {
  const parsed = parseStatements(sql);
  if (!('tree' in parsed)) return parsed.failure;
  readStatements(parsed.tree, sql, findings);
  readRoutines(findings, depth);
  return undefined;
}

/** Reads the bodies noted in the findings, as parts of them. */
function readRoutines(findings: Findings, depth: number): void {
  for (const routine of findings.routines.splice(0)) {
    const body = new Findings();
    if (!readRoutine(routine, body, depth + 1)) findings.everythingUnknown();
    findings.include(body);
  }
}

/**
 * Reads the body of one routine into the findings; false when a part of it can't be read, or its
 * language is not understood.
 */
export function readRoutine(routine: Routine, findings: Findings, depth = 0): boolean {
  if (depth > DEEPEST_BODY) return false;
  new QueryWalk(findings).walk(routine.parameters, undefined, 'query');
  const language = routine.language.toLowerCase();
  if (language === 'sql' && routine.tree !== undefined) {
    for (const statement of statementsOf(routine.tree)) {
      readStatement(statement, () => '', findings);
    }
    return true;
  }
  // Without a body in text the PL/pgSQL parser would abort.
  if (routine.body === undefined) return false;
  if (language === 'sql') return readText(routine.body, findings, depth) === undefined;
  if (language !== 'plpgsql') return false;
  const parsed = parseProcedural(routine.statement);
  if (!('tree' in parsed)) return false;
  return readProcedure(
    parsed.tree,
    findings,
    (sql, into) => readText(sql, into, depth) === undefined,
  );
}

/**
 * The statements of a `BEGIN ATOMIC` body, which come as a list in a list; a `RETURN` body is a
 * single one.
 */
function statementsOf(tree: unknown): readonly unknown[] {
  const list = fieldsOf(tree, 'List');
  if (list !== undefined) return asArray(list['items']).flatMap(statementsOf);
  return asObject(tree) === undefined ? [] : [tree];
}
