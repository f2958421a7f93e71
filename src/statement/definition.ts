import type { Findings } from './findings';
import type { TreeObject } from './nodes';
import {
  asArray,
  asObject,
  asText,
  fieldsOf,
  isTemporarySchema,
  qualifiedName,
  relationName,
  relationOf,
} from './nodes';
import type { QueryWalk } from './query-walk';
import { createdName, isTemporaryRelation } from './query-walk';
import type { RelationName } from './types';
import { WriteAction } from './types';

/** Objects of DROP and COMMENT whose name is that of a relation. */
const RELATIONS = new Set<unknown>([
  'OBJECT_TABLE',
  'OBJECT_VIEW',
  'OBJECT_MATVIEW',
  'OBJECT_FOREIGN_TABLE',
  'OBJECT_SEQUENCE',
  'OBJECT_INDEX',
]);
/** Objects that hang on a relation: their own name comes last. */
const PARTS_OF_RELATIONS = new Set<unknown>([
  'OBJECT_TRIGGER',
  'OBJECT_RULE',
  'OBJECT_POLICY',
  'OBJECT_COLUMN',
  'OBJECT_TABCONSTRAINT',
]);

/**
 * Notes what a DDL statement defines, changes or drops. Queries inside it (of a view, a policy, a
 * new table) are read as queries; anything else it names counts as defined.
 */
export function readDefinition(
  type: string,
  fields: TreeObject,
  walk: QueryWalk,
  findings: Findings,
): void {
  switch (type) {
    case 'DropStmt':
      readDrop(fields, findings);
      break;
    case 'CommentStmt':
    case 'SecLabelStmt':
      note(findings, namedRelation(fields['objtype'], fields['object']), false);
      break;
    case 'RenameStmt':
      readNewName(fields, { name: asText(fields['newname']) }, findings);
      walk.walkFields(fields, undefined, 'definition');
      break;
    case 'AlterObjectSchemaStmt':
      readNewName(fields, { schema: asText(fields['newschema']) }, findings);
      walk.walkFields(fields, undefined, 'definition');
      break;
    case 'CreateTableAsStmt':
      walk.createdRelation(asObject(fields['into']) ?? {});
      walk.walkFields(fields, undefined, 'definition', 'into');
      if (fieldsOf(fields['query'], 'ExecuteStmt') !== undefined) findings.everythingUnknown();
      break;
    case 'CreateFunctionStmt':
      // Its body runs when it is called, not now.
      break;
    default:
      readCreated(fields, walk, findings);
  }
  findings.define(isTemporary(type, fields));
}

/** CREATE TABLE, VIEW, SEQUENCE ... and all that alter: whatever relation they name. */
function readCreated(fields: TreeObject, walk: QueryWalk, findings: Findings): void {
  const created = createdRelation(fields);
  if (created === undefined || !isTemporaryRelation(created.rangeVar))
    return walk.walkFields(fields, undefined, 'definition');
  findings.write(createdName(created.rangeVar), WriteAction.definition);
  walk.walkFields(fields, undefined, 'definition', created.field);
}

function createdRelation(fields: TreeObject): { field: string; rangeVar: TreeObject } | undefined {
  for (const field of ['relation', 'view', 'sequence', 'typevar']) {
    const rangeVar = relationOf(fields[field]);
    if (rangeVar !== undefined) return { field, rangeVar };
  }
  return undefined;
}

function readDrop(fields: TreeObject, findings: Findings): void {
  const cascade = fields['behavior'] === 'DROP_CASCADE';
  for (const object of asArray(fields['objects'])) {
    note(findings, namedRelation(fields['removeType'], object), cascade);
  }
}

/** The relation that a DROP or COMMENT is about. */
function namedRelation(kind: unknown, object: unknown): RelationName | undefined {
  if (RELATIONS.has(kind)) return qualifiedName(object);
  if (!PARTS_OF_RELATIONS.has(kind)) return undefined;
  return qualifiedName(asArray(fieldsOf(object, 'List')?.['items']).slice(0, -1));
}

function note(findings: Findings, relation: RelationName | undefined, cascade: boolean): void {
  if (relation !== undefined) findings.write(relation, WriteAction.definition, cascade);
}

/** A renamed or moved relation is found under its new name from then on. */
function readNewName(
  fields: TreeObject,
  change: { schema?: string | undefined; name?: string | undefined },
  findings: Findings,
): void {
  const rangeVar = relationOf(fields['relation']);
  const kind = fields['renameType'] ?? fields['objectType'];
  if (rangeVar === undefined || !RELATIONS.has(kind)) return;
  const old = relationName(rangeVar);
  note(findings, { schema: change.schema ?? old.schema, name: change.name ?? old.name }, false);
}

/** Whether a DDL statement touches nothing but objects that end with the connection. */
function isTemporary(type: string, fields: TreeObject): boolean {
  if (type === 'CreateFunctionStmt')
    return isTemporarySchema(qualifiedName(fields['funcname'])?.schema);
  if (type === 'DropStmt') {
    const objects = asArray(fields['objects']);
    return (
      objects.length > 0 && objects.every((object) => isTemporarySchema(schemaOfDropped(object)))
    );
  }
  if (type === 'CreateTableAsStmt') {
    const rangeVar = relationOf(asObject(fields['into'])?.['rel']);
    return rangeVar !== undefined && isTemporaryRelation(rangeVar);
  }
  const created = createdRelation(fields);
  return created !== undefined && isTemporaryRelation(created.rangeVar);
}

function schemaOfDropped(object: unknown): string | undefined {
  const names =
    fieldsOf(object, 'ObjectWithArgs')?.['objname'] ??
    fieldsOf(object, 'TypeName')?.['names'] ??
    object;
  return qualifiedName(names)?.schema;
}
