import type { Findings } from './findings';
import type { TreeObject } from './nodes';
import {
  asArray,
  asObject,
  asText,
  constantText,
  fieldsOf,
  isTemporarySchema,
  qualifiedName,
  relationName,
  relationOf,
  stringOf,
  typedNode,
} from './nodes';
import { WriteAction } from './types';

/** The names that WITH clauses around a place have defined, innermost first. */
export interface CteScope {
  readonly name: string;
  readonly outer: CteScope | undefined;
}

/**
 * What a relation named in a place not handled by name is: read by a query, the object of DDL, or,
 * in a place that nothing here knows, both read and written.
 */
export type Place = 'query' | 'definition' | 'unplaced';

const MERGE_ACTIONS = new Map<unknown, number>([
  ['CMD_INSERT', WriteAction.insert],
  ['CMD_UPDATE', WriteAction.update],
  ['CMD_DELETE', WriteAction.delete],
  ['CMD_NOTHING', 0],
]);
const ANY_ROW_ACTION = WriteAction.insert | WriteAction.update | WriteAction.delete;
/** Settings that decide which relation an unqualified name stands for. */
const PATH_SETTINGS = new Set(['search_path', 'role', 'session_authorization']);
const BUILT_IN_SAMPLING = new Set(['bernoulli', 'system']);

/** Whether setting this changes which relations unqualified names stand for. */
export function setsPath(setting: string): boolean {
  return PATH_SETTINGS.has(setting.toLowerCase());
}

/**
 * Walks a parse tree and notes what it touches. Every node is visited; only those that need it are
 * treated apart, so that syntax unknown here still has its tables and functions found.
 */
export class QueryWalk {
  readonly #findings: Findings;
  /** The table that a SELECT INTO makes. */
  created: TreeObject | undefined;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  walk(value: unknown, scope: CteScope | undefined, place: Place): void {
    if (Array.isArray(value)) {
      for (const item of value) this.walk(item, scope, place);
      return;
    }
    const object = asObject(value);
    if (object === undefined) return;
    const node = typedNode(object);
    if (node !== undefined) this.#node(node[0], node[1], scope, place);
    else if (relationOf(object) !== undefined) this.#relation(object, scope, place);
    else this.walkFields(object, scope, place);
  }

  /** Walks the fields of a node, within its own WITH clause, but for those named. */
  walkFields(fields: TreeObject, outer: CteScope | undefined, place: Place, except?: string): void {
    const scope = this.#withClause(fields['withClause'], outer);
    for (const key in fields) {
      if (key !== 'withClause' && key !== except) this.walk(fields[key], scope, place);
    }
  }

  #node(type: string, fields: TreeObject, scope: CteScope | undefined, place: Place): void {
    switch (type) {
      case 'RangeVar':
        return this.#relation(fields, scope, place);
      case 'SelectStmt':
        return this.#select(fields, scope);
      case 'InsertStmt':
        return this.#modify(fields, insertActions(fields), scope);
      case 'UpdateStmt':
        return this.#modify(fields, WriteAction.update, scope);
      case 'DeleteStmt':
        return this.#modify(fields, WriteAction.delete, scope);
      case 'MergeStmt':
        return this.#modify(fields, mergeActions(fields), scope);
      case 'FuncCall':
        this.#call(fields);
        return this.walkFields(fields, scope, place, 'funcname');
      case 'RangeTableSample':
        this.#samplingMethod(fields['method']);
        return this.walkFields(fields, scope, place, 'method');
      case 'ColumnRef':
        return this.#column(asArray(fields['fields']));
      case 'A_Indirection':
        for (const part of asArray(fields['indirection'])) this.#attribute(part);
        return this.walkFields(fields, scope, place);
      case 'LockingClause':
        // Its relations are aliases of the FROM clause.
        this.#findings.locking = true;
        return;
      default:
        return this.walkFields(fields, scope, place);
    }
  }

  #relation(rangeVar: TreeObject, scope: CteScope | undefined, place: Place): void {
    const inner = relationOf(rangeVar);
    if (inner === undefined) return;
    const relation = relationName(inner);
    if (place !== 'query') this.#findings.write(relation, writeActionsOf(place));
    if (place === 'definition') return;
    if (relation.schema === undefined && isDefined(relation.name, scope)) return;
    this.#findings.read(relation);
  }

  #select(fields: TreeObject, outer: CteScope | undefined): void {
    const scope = this.#withClause(fields['withClause'], outer);
    for (const key in fields) {
      const value = fields[key];
      switch (key) {
        case 'withClause':
          break;
        case 'larg':
        case 'rarg':
          // The arms of a set operation come without their type.
          this.#select(asObject(value) ?? {}, scope);
          break;
        case 'intoClause':
          this.createdRelation(asObject(value) ?? {});
          break;
        default:
          this.walk(value, scope, 'query');
      }
    }
  }

  /** The new table of SELECT INTO or CREATE TABLE AS. */
  createdRelation(intoClause: TreeObject): void {
    const rangeVar = relationOf(intoClause['rel']);
    if (rangeVar === undefined) return;
    this.created = rangeVar;
    this.#findings.write(createdName(rangeVar), WriteAction.definition | WriteAction.insert);
  }

  #modify(fields: TreeObject, actions: number, scope: CteScope | undefined): void {
    const target = relationOf(fields['relation']);
    if (target === undefined) this.#findings.writesUnknown = true;
    // A target is never a WITH query, whatever its name.
    else this.#findings.write(relationName(target), actions, false, assignedColumns(fields));
    this.walkFields(fields, scope, 'query', 'relation');
  }

  #withClause(value: unknown, outer: CteScope | undefined): CteScope | undefined {
    const clause = asObject(value);
    if (clause === undefined) return outer;
    const queries = asArray(clause['ctes']).map((cte) => fieldsOf(cte, 'CommonTableExpr') ?? {});
    const recursive = clause['recursive'] === true;
    let scope = outer;
    const define = (cte: TreeObject): void => {
      scope = { name: asText(cte['ctename']) ?? '', outer: scope };
    };
    if (recursive) queries.forEach(define);
    for (const cte of queries) {
      this.walkFields(cte, scope, 'query');
      // Without RECURSIVE a query sees only those before it.
      if (!recursive) define(cte);
    }
    return scope;
  }

  #call(fields: TreeObject): void {
    const name = qualifiedName(fields['funcname']);
    if (name === undefined) return this.#findings.everythingUnknown();
    this.#findings.call(name);
    if (name.name !== 'set_config') return;
    const setting = constantText(asArray(fields['args'])[0]);
    if (setting === undefined || setsPath(setting)) this.#findings.setsSearchPath = true;
  }

  #samplingMethod(method: unknown): void {
    const name = qualifiedName(method);
    if (name === undefined) this.#findings.everythingUnknown();
    else if (!BUILT_IN_SAMPLING.has(name.name)) this.#findings.call(name);
  }

  #column(parts: readonly unknown[]): void {
    if (parts.length > 1) this.#attribute(parts.at(-1));
  }

  #attribute(part: unknown): void {
    const name = stringOf(part);
    if (name !== undefined) this.#findings.identifiers.add(name);
  }
}

/** The name of a relation about to be made; a temporary one lives in pg_temp. */
export function createdName(rangeVar: TreeObject): ReturnType<typeof relationName> {
  const { schema, name } = relationName(rangeVar);
  return { schema: isTemporaryRelation(rangeVar) ? 'pg_temp' : schema, name };
}

export function isTemporaryRelation(rangeVar: TreeObject): boolean {
  return rangeVar['relpersistence'] === 't' || isTemporarySchema(asText(rangeVar['schemaname']));
}

function writeActionsOf(place: Place): number {
  return place === 'definition'
    ? WriteAction.definition
    : WriteAction.definition | WriteAction.truncate | ANY_ROW_ACTION;
}

function isDefined(name: string, scope: CteScope | undefined): boolean {
  for (let frame = scope; frame !== undefined; frame = frame.outer) {
    if (frame.name === name) return true;
  }
  return false;
}

/** The columns that an UPDATE, an ON CONFLICT clause or the updates of a MERGE assign. */
function assignedColumns(fields: TreeObject): ReadonlySet<string> | undefined {
  const columns = new Set<string>();
  const updates = asArray(fields['mergeWhenClauses'])
    .map((when) => fieldsOf(when, 'MergeWhenClause'))
    .filter((when) => when?.['commandType'] === 'CMD_UPDATE');
  const clauses = [fields, asObject(fields['onConflictClause']), ...updates];
  const lists = clauses.map((clause) => clause?.['targetList']);
  for (const target of lists.flatMap(asArray)) {
    const name = asText(fieldsOf(target, 'ResTarget')?.['name']);
    if (name === undefined) return undefined;
    columns.add(name);
  }
  return columns;
}

function insertActions(fields: TreeObject): number {
  const onConflict = asObject(fields['onConflictClause']);
  return onConflict?.['action'] === undefined || onConflict['action'] === 'ONCONFLICT_NOTHING'
    ? WriteAction.insert
    : WriteAction.insert | WriteAction.update;
}

function mergeActions(fields: TreeObject): number {
  let actions = 0;
  for (const clause of asArray(fields['mergeWhenClauses'])) {
    const command = fieldsOf(clause, 'MergeWhenClause')?.['commandType'];
    actions |= MERGE_ACTIONS.get(command) ?? ANY_ROW_ACTION;
  }
  return actions;
}
