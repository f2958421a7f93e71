import type { TreeObject } from './nodes';
import { asArray, asObject, asText, fieldsOf, stringOf } from './nodes';

/**
 * A routine whose body is to be read: a DO block, a temporary function made and called in one text,
 * a function of the catalog.
 */
export interface Routine {
  readonly language: string;
  /** The body as text; undefined when it has none, or one in machine code. */
  readonly body: string | undefined;
  /** The parse tree of a `BEGIN ATOMIC` or `RETURN` body. */
  readonly tree: unknown;
  /** The parameter nodes: their defaults are evaluated at a call. */
  readonly parameters: unknown;
  /** The whole statement that defines it. */
  readonly statement: string;
}

/** The routine that a DO block is. */
export function routineOfBlock(fields: TreeObject, statement: string): Routine {
  const options = optionsOf(fields['args']);
  return {
    language: stringOf(options.get('language')) ?? 'plpgsql',
    body: stringOf(options.get('as')),
    tree: undefined,
    parameters: undefined,
    statement,
  };
}

/** The routine that a CREATE FUNCTION or CREATE PROCEDURE defines. */
export function routineOfDefinition(fields: TreeObject, statement: string): Routine {
  const options = optionsOf(fields['options']);
  const parts = asArray(fieldsOf(options.get('as'), 'List')?.['items']);
  const tree = fields['sql_body'];
  return {
    language: stringOf(options.get('language')) ?? (tree === undefined ? '' : 'sql'),
    body: parts.length === 1 ? stringOf(parts[0]) : undefined,
    tree,
    parameters: fields['parameters'],
    statement,
  };
}

function optionsOf(list: unknown): Map<string, unknown> {
  const options = new Map<string, unknown>();
  for (const item of asArray(list)) {
    const element = asObject(asObject(item)?.['DefElem']);
    options.set(asText(element?.['defname']) ?? '', element?.['arg']);
  }
  return options;
}
