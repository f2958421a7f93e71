import { Findings, unknownAnalysis } from './findings';
import { asArray, asObject, fieldsOf } from './nodes';
import { parseStatements } from './parser';
import { routineOfDefinition } from './routine';
import { readRoutine } from './routine-body';
import type { Analysis } from './types';

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
