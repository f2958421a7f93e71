import type { RelationName } from './types';

/**
 * An object of the parse tree. Its fields are checked where they are read: the parser is trusted
 * for syntax, not for shape.
 */
export type TreeObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): TreeObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as TreeObject)
    : undefined;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The fields of a `{ Type: fields }` node, when it is of that type. */
export function fieldsOf(value: unknown, type: string): TreeObject | undefined {
  return asObject(asObject(value)?.[type]);
}

/** Splits a `{ Type: fields }` node; undefined for anything else. */
export function typedNode(object: TreeObject): [type: string, fields: TreeObject] | undefined {
  let found: string | undefined;
  for (const key in object) {
    if (found !== undefined) return undefined;
    found = key;
  }
  if (found === undefined || !/^[A-Z]/.test(found)) return undefined;
  const fields = asObject(object[found]);
  return fields === undefined ? undefined : [found, fields];
}

/** The value of a String node. */
export function stringOf(value: unknown): string | undefined {
  const fields = fieldsOf(value, 'String');
  return fields === undefined ? undefined : (asText(fields['sval']) ?? '');
}

/** The text of a constant string, also with a cast around it. */
export function constantText(value: unknown): string | undefined {
  const cast = fieldsOf(value, 'TypeCast');
  if (cast !== undefined) return constantText(cast['arg']);
  const constant = asObject(fieldsOf(value, 'A_Const')?.['sval']);
  return constant === undefined ? undefined : (asText(constant['sval']) ?? '');
}

/** The last two parts of a list of names; undefined when it holds anything but names. */
export function qualifiedName(value: unknown): RelationName | undefined {
  const list = fieldsOf(value, 'List');
  const parts = asArray(list === undefined ? value : list['items']).map(stringOf);
  const name = parts.at(-1);
  if (name === undefined || parts.includes(undefined)) return undefined;
  return { schema: parts.at(-2), name };
}

/** A RangeVar, wrapped or not. */
export function relationOf(value: unknown): TreeObject | undefined {
  const object = asObject(value);
  if (object === undefined) return undefined;
  const inner = asObject(object['RangeVar']) ?? object;
  return typeof inner['relname'] === 'string' ? inner : undefined;
}

export function relationName(rangeVar: TreeObject): RelationName {
  return { schema: asText(rangeVar['schemaname']), name: asText(rangeVar['relname']) ?? '' };
}

/** `pg_temp` and the schemas it stands for. */
export function isTemporarySchema(schema: string | undefined): boolean {
  return schema !== undefined && /^pg_temp(_\d+)?$/.test(schema);
}
