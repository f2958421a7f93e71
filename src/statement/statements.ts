import { readDefinition } from './definition';
import { Findings } from './findings';
import type { TreeObject } from './nodes';
import {
  asArray,
  asObject,
  asText,
  qualifiedName,
  relationName,
  relationOf,
  typedNode,
} from './nodes';
import { QueryWalk, isTemporaryRelation, setsPath } from './query-walk';
import { routineOfBlock, routineOfDefinition } from './routine';
import type { StatementKind, TransactionCommandName } from './types';
import { WriteAction } from './types';

const TRANSACTION_COMMANDS = new Map<unknown, TransactionCommandName>([
  ['TRANS_STMT_BEGIN', 'begin'],
  ['TRANS_STMT_START', 'begin'],
  ['TRANS_STMT_COMMIT', 'commit'],
  ['TRANS_STMT_ROLLBACK', 'rollback'],
  ['TRANS_STMT_SAVEPOINT', 'savepoint'],
  ['TRANS_STMT_RELEASE', 'release'],
  ['TRANS_STMT_ROLLBACK_TO', 'rollback-to'],
  ['TRANS_STMT_PREPARE', 'prepare'],
  ['TRANS_STMT_COMMIT_PREPARED', 'commit-prepared'],
  ['TRANS_STMT_ROLLBACK_PREPARED', 'rollback-prepared'],
]);

/** Statements about the connection itself. PREPARE is one: its query runs with EXECUTE. */
const SESSION_STATEMENTS = new Set([
  'VariableShowStmt',
  'ListenStmt',
  'UnlistenStmt',
  'ConstraintsSetStmt',
  'PrepareStmt',
  'DeallocateStmt',
  'LoadStmt',
]);

/** Statements that change no row, whatever relation they name, but what the server notes of them. */
const UPKEEP_STATEMENTS = new Set(['VacuumStmt', 'ClusterStmt', 'ReindexStmt']);

/** Where the server keeps its estimates of values. */
const ESTIMATES = ['pg_statistic', 'pg_statistic_ext_data'];

/** Statements that change nothing that is kept in tables. */
const PASSING_STATEMENTS = new Set(['CheckPointStmt', 'NotifyStmt', 'ClosePortalStmt']);

/**
 * All DDL nodes start with one of these or are about owned objects; `CreateTableAsStmt` and
 * functions too.
 */
const DEFINITION_NODE =
  /^(?:Create|Alter|Drop|Define|Grant|Comment|SecLabel|Rename|Rule|View|Index|Composite|Import|Reassign)/;

/** Reads every statement of a parse tree of `sql` into the findings. */
export function readStatements(tree: unknown, sql: string, findings: Findings): void {
  let bytes: Buffer | undefined;
  for (const item of asArray(asObject(tree)?.['stmts'])) {
    const raw = asObject(item) ?? {};
    const source = (): string => sourceOf(raw, (bytes ??= Buffer.from(sql)));
    readStatement(raw['stmt'], source, findings);
  }
}

/** Reads one statement node. */
export function readStatement(statement: unknown, source: () => string, findings: Findings): void {
  const own = new Findings();
  const kind = new StatementReader(own, source).read(statement);
  findings.include(own);
  findings.kinds.push(kind);
}

/** The text of one statement: the parser counts in bytes of UTF-8. */
function sourceOf(raw: TreeObject, bytes: Buffer): string {
  const start = Number(raw['stmt_location'] ?? 0);
  const length = Number(raw['stmt_len'] ?? 0);
  return bytes.subarray(start, length === 0 ? bytes.length : start + length).toString();
}

class StatementReader {
  readonly #findings: Findings;
  readonly #walk: QueryWalk;
  readonly #source: () => string;

  constructor(findings: Findings, source: () => string) {
    this.#findings = findings;
    this.#walk = new QueryWalk(findings);
    this.#source = source;
  }

  read(statement: unknown): StatementKind {
    const [type, fields] = typedNode(asObject(statement) ?? {}) ?? ['', {}];
    switch (type) {
      case 'SelectStmt':
      case 'InsertStmt':
      case 'UpdateStmt':
      case 'DeleteStmt':
      case 'MergeStmt':
        return this.#query(statement, fields);
      case 'TruncateStmt':
        return this.#truncate(fields);
      case 'RefreshMatViewStmt':
        return this.#refresh(fields);
      case 'CopyStmt':
        return this.#copy(fields);
      case 'TransactionStmt':
        return this.#transaction(fields);
      case 'VariableSetStmt':
        return this.#setting(fields);
      case 'DiscardStmt':
        return this.#discard(fields);
      case 'LockStmt':
        return this.#lock(fields);
      case 'CallStmt':
        this.#walk.walk({ FuncCall: fields['funccall'] }, undefined, 'query');
        return 'other';
      case 'DoStmt':
        this.#findings.routines.push(routineOfBlock(fields, this.#source()));
        return 'other';
      case 'ExplainStmt':
        return this.#explain(fields);
      case 'DeclareCursorStmt':
        this.#walk.walk(fields['query'], undefined, 'query');
        return 'other';
      case 'FetchStmt':
        // What it reads stands in the DECLARE of its cursor, which has been noted in the same
        // transaction.
        this.#findings.readsUnknown = true;
        return 'other';
      case 'ExecuteStmt':
        this.#findings.everythingUnknown();
        return 'other';
      case 'CreateFunctionStmt':
        return this.#createFunction(fields);
      case 'ReturnStmt':
        this.#walk.walk(fields, undefined, 'query');
        return this.#findings.modifies ? 'write' : 'read';
      default:
        return this.#plain(type, fields, statement);
    }
  }

  #plain(type: string, fields: TreeObject, statement: unknown): StatementKind {
    if (SESSION_STATEMENTS.has(type)) return 'session';
    if (PASSING_STATEMENTS.has(type)) return 'other';
    if (UPKEEP_STATEMENTS.has(type)) return this.#upkeep();
    if (DEFINITION_NODE.test(type)) {
      readDefinition(type, fields, this.#walk, this.#findings);
      return 'definition';
    }
    this.#walk.walk(statement, undefined, 'unplaced');
    this.#findings.everythingUnknown();
    return 'unknown';
  }

  #upkeep(): StatementKind {
    this.#renotes();
    for (const name of ESTIMATES) {
      const relation = { schema: 'pg_catalog', name };
      this.#findings.write(relation, WriteAction.insert | WriteAction.update);
    }
    return 'other';
  }

  /** The server notes anew how many rows there are, and whether a materialized view is populated. */
  #renotes(): void {
    this.#findings.write({ schema: 'pg_catalog', name: 'pg_class' }, WriteAction.update);
  }

  #query(statement: unknown, fields: TreeObject): StatementKind {
    this.#walk.walk(statement, undefined, 'query');
    const created = this.#walk.created;
    if (created !== undefined) {
      this.#findings.define(isTemporaryRelation(created));
      return 'definition';
    }
    return this.#findings.modifies || fields['relation'] !== undefined ? 'write' : 'read';
  }

  #truncate(fields: TreeObject): StatementKind {
    const cascade = fields['behavior'] === 'DROP_CASCADE';
    this.#targets(fields['relations'], WriteAction.truncate, cascade);
    return 'write';
  }

  #refresh(fields: TreeObject): StatementKind {
    this.#targets([fields['relation']], WriteAction.insert | WriteAction.delete, false);
    this.#renotes();
    return 'write';
  }

  #targets(relations: unknown, actions: number, cascade: boolean): void {
    for (const item of asArray(relations)) {
      const rangeVar = relationOf(item);
      if (rangeVar === undefined) this.#findings.writesUnknown = true;
      else this.#findings.write(relationName(rangeVar), actions, cascade);
    }
  }

  #copy(fields: TreeObject): StatementKind {
    // A program run by the server may do anything.
    if (fields['is_program'] === true) this.#findings.everythingUnknown();
    if (fields['is_from'] === true) {
      this.#targets([fields['relation']], WriteAction.insert, false);
      this.#walk.walkFields(fields, undefined, 'query', 'relation');
      return 'write';
    }
    this.#walk.walkFields(fields, undefined, 'query');
    return this.#findings.modifies ? 'write' : 'other';
  }

  #transaction(fields: TreeObject): StatementKind {
    const name = TRANSACTION_COMMANDS.get(fields['kind']);
    if (name === undefined) {
      this.#findings.everythingUnknown();
      return 'unknown';
    }
    const id = asText(fields['gid']) ?? asText(fields['savepoint_name']);
    this.#findings.transactions.push({ name, id });
    return 'transaction';
  }

  #setting(fields: TreeObject): StatementKind {
    const name = asText(fields['name']);
    // RESET ALL names nothing.
    if (name === undefined || setsPath(name)) this.#findings.setsSearchPath = true;
    return 'session';
  }

  #discard(fields: TreeObject): StatementKind {
    if (fields['target'] === 'DISCARD_ALL') this.#findings.setsSearchPath = true;
    return 'session';
  }

  #lock(fields: TreeObject): StatementKind {
    this.#findings.locking = true;
    this.#walk.walk(fields['relations'], undefined, 'query');
    return 'other';
  }

  #explain(fields: TreeObject): StatementKind {
    if (executes(fields)) return this.read(fields['query']);
    const planned = new Findings();
    const kind = new StatementReader(planned, this.#source).read(fields['query']);
    this.#findings.plan(planned);
    return kind === 'read' ? 'read' : 'other';
  }

  #createFunction(fields: TreeObject): StatementKind {
    const name = qualifiedName(fields['funcname']);
    readDefinition('CreateFunctionStmt', fields, this.#walk, this.#findings);
    if (name !== undefined && this.#findings.temporaryDefinitions > 0) {
      this.#findings.routines.push(routineOfDefinition(fields, this.#source()));
      this.#findings.ownFunctions.add(name.name);
    }
    return 'definition';
  }
}

/** Whether EXPLAIN runs the statement too. */
function executes(fields: TreeObject): boolean {
  return asArray(fields['options']).some((item) => {
    const option = asObject(asObject(item)?.['DefElem']);
    return option?.['defname'] === 'analyze' && !isOff(option['arg']);
  });
}

function isOff(value: unknown): boolean {
  const node = asObject(value);
  if (node === undefined) return false;
  const text = asText(asObject(node['String'])?.['sval'])?.toLowerCase();
  if (text === 'false' || text === 'off') return true;
  const integer = asObject(node['Integer']);
  return integer !== undefined && (integer['ival'] ?? 0) === 0;
}
