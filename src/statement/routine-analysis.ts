import { Findings, unknownAnalysis } from './findings';
import { asArray, asObject, fieldsOf } from './nodes';
import { parseStatements } from './parser';
import { routineOfDefinition } from './routine';
import { readRoutine } from './routine-body';
import type { Analysis } from './types';

/** What a body needs to know of its routine when it comes without its definition. */
export interface RoutineShape {
  /** The parameter list as text, `a integer, OUT b text` (default: none). */
  readonly parameters?: string;
  /** The result type as text, `SETOF users` (default: `trigger`). */
  readonly returns?: string;
}

/**
 * Analyses the body of a function or procedure from its whole definition, as `pg_get_functiondef`
 * gives it: what it touches when it is called, not what defining it does. A language other than SQL
 * and PL/pgSQL gives an analysis that may touch anything. Never throws.
 */
export function analyseFunction(definition: string): Analysis {
  if (definition.includes('\0')) return unknownAnalysis('nul-character');
  const parsed = parseStatements(definition);
  if (!('tree' in parsed)) return unknownAnalysis(parsed.failure);
  const [statement, second] = asArray(asObject(parsed.tree)?.['stmts']);
  const fields = fieldsOf(asObject(statement)?.['stmt'], 'CreateFunctionStmt');
  if (fields === undefined || second !== undefined) return unknownAnalysis('syntax');
  const findings = new Findings();
  try {
    if (!readRoutine(routineOfDefinition(fields, definition), findings))
      return unknownAnalysis('language');
  } catch {
    return unknownAnalysis('too-complex');
  }
  return findings.toAnalysis();
}

/**
 * The same for a body alone. PL/pgSQL checks assignments and RETURN against the parameters and the
 * result type: one that does not fit the shape gives an analysis that may touch anything. Never
 * throws.
 */
export function analyseFunctionBody(
  language: string,
  body: string,
  shape: RoutineShape = {},
): Analysis {
  let tag = '$body$';
  while (body.includes(tag)) tag = `$x${tag.slice(1)}`;
  const { parameters = '', returns = 'pg_catalog.trigger' } = shape;
  return analyseFunction(
    `CREATE FUNCTION f(${parameters}) RETURNS ${returns} LANGUAGE "${language.replaceAll('"', '""')}" AS ${tag}${body}${tag}`,
  );
}
