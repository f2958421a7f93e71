import type { Findings } from './findings';
import { asArray, asObject, asText, constantText, fieldsOf } from './nodes';
import { CLOSE_BRACKET, DOUBLE_QUOTE, OPEN_BRACKET, QUOTE, quotedEnd } from './lexer';
import { parseStatements } from './parser';

/** Reads a text of SQL into findings; false when it can't be parsed. */
export type TextReader = (sql: string, findings: Findings) => boolean;

/** How the text of an expression is to be parsed, as PL/pgSQL numbers it. */
const MODE_STATEMENT = 0;
const MODE_TYPE_NAME = 1;
const MODE_EXPRESSION = 2;
const EQUALS = 61;

/** Statements that run a text made at run time. */
const DYNAMIC_STATEMENTS = new Set(['PLpgSQL_stmt_dynexecute', 'PLpgSQL_stmt_dynfors']);

/**
 * Reads every query and expression of PL/pgSQL functions into the findings. Text that is run
 * dynamically may do anything, unless it is a constant.
 *
 * @returns false when there is no function in the tree, or a part of it can't be parsed
 */
export function readProcedure(tree: unknown, findings: Findings, readText: TextReader): boolean {
  const functions = asArray(asObject(tree)?.['plpgsql_funcs']);
  const reader = new ProcedureReader(findings);
  for (const item of functions) reader.read(item);
  // Parsed only now, from the shallow end of the stack: the parser has to share it.
  for (const text of reader.texts) reader.complete = readText(text, findings) && reader.complete;
  for (const text of reader.dynamicTexts) {
    const constant = constantOf(text);
    if (constant === undefined) findings.everythingUnknown();
    else reader.complete = readText(constant, findings) && reader.complete;
  }
  return functions.length > 0 && reader.complete;
}

class ProcedureReader {
  complete = true;
  /** The statements found, expressions among them as SELECT. */
  readonly texts: string[] = [];
  /** The expressions whose value is run as a statement. */
  readonly dynamicTexts: string[] = [];
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  read(value: unknown): void {
    if (Array.isArray(value)) {
      for (const item of value) this.read(item);
      return;
    }
    const object = asObject(value);
    for (const key in object) this.#part(key, object[key]);
  }

  #part(key: string, value: unknown): void {
    if (key === 'PLpgSQL_expr') return this.#expression(asObject(value) ?? {});
    if (key === 'dynquery') return this.#dynamic(value);
    if (DYNAMIC_STATEMENTS.has(key)) {
      const { query, ...rest } = asObject(value) ?? {};
      this.#dynamic(query);
      return this.read(rest);
    }
    if (key === 'PLpgSQL_stmt_commit')
      this.#findings.transactions.push({ name: 'commit', id: undefined });
    if (key === 'PLpgSQL_stmt_rollback')
      this.#findings.transactions.push({ name: 'rollback', id: undefined });
    this.read(value);
  }

  #expression(fields: Readonly<Record<string, unknown>>): void {
    const text = asText(fields['query']);
    const mode = fields['parseMode'] ?? MODE_STATEMENT;
    if (text === undefined) this.complete = false;
    else if (mode === MODE_STATEMENT) this.texts.push(text);
    else if (mode === MODE_EXPRESSION) this.texts.push(`SELECT ${text}`);
    else if (mode !== MODE_TYPE_NAME) this.#assignment(text);
  }

  /** `target[subscript] := expression`: both sides may hold queries. */
  #assignment(text: string): void {
    const operator = assignmentOperator(text);
    if (operator === -1) {
      this.complete = false;
      return;
    }
    const width = text.charCodeAt(operator) === EQUALS ? 1 : 2;
    if (text.slice(0, operator).includes('[')) this.texts.push(`SELECT ${text.slice(0, operator)}`);
    this.texts.push(`SELECT ${text.slice(operator + width)}`);
  }

  #dynamic(query: unknown): void {
    const text = asText(fieldsOf(query, 'PLpgSQL_expr')?.['query']);
    if (text === undefined) this.complete = false;
    else this.dynamicTexts.push(text);
    this.read(query);
  }
}

/** The position of the `:=` or `=` of an assignment, outside of subscripts. */
function assignmentOperator(text: string): number {
  let depth = 0;
  for (let position = 0; position < text.length; position += 1) {
    const unit = text.charCodeAt(position);
    if (unit === DOUBLE_QUOTE || unit === QUOTE) {
      const end = quotedEnd(text, position, unit === QUOTE ? "'" : '"');
      if (end === -1) return -1;
      position = end - 1;
    } else if (unit === OPEN_BRACKET) {
      depth += 1;
    } else if (unit === CLOSE_BRACKET) {
      depth -= 1;
    } else if (depth === 0 && (unit === EQUALS || text.startsWith(':=', position))) {
      return position;
    }
  }
  return -1;
}

/** The value of an expression that is a constant string. */
function constantOf(expression: string): string | undefined {
  const parsed = parseStatements(`SELECT ${expression}`);
  if (!('tree' in parsed)) return undefined;
  const [statement, second] = asArray(asObject(parsed.tree)?.['stmts']);
  const select = fieldsOf(asObject(statement)?.['stmt'], 'SelectStmt');
  const [target, other] = asArray(select?.['targetList']);
  if (second !== undefined || other !== undefined) return undefined;
  return constantText(fieldsOf(target, 'ResTarget')?.['val']);
}
