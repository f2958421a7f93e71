import { randomUUID } from 'node:crypto';
import { literal, type Model, type ModelStatic } from 'sequelize';
import { OptionsError } from '../errors';
import { runRewriting } from '../operation';
import { arrayText, codecOf, wholeLiteral } from './codec';

const KEYS = '"fresh_reads_keys"';

/** The name under which a row carries the number of the key that it belongs to. */
export const ORDINAL = 'fresh_reads_ordinal';

/** Stands for the list of keys until the SELECT is put in its form. */
export class KeyMarks {
  /** No other text has it: not by chance, and not by copying a statement that was sent. */
  readonly name = `"${randomUUID()}"`;

  /** For `where`: the key's part in the column with this index. */
  part(index: number) {
    return literal(`${this.name}."part${index}"`);
  }

  /** For `attributes`: the number of the key, from 1. */
  ordinal() {
    return [literal(`${this.name}."ordinal"::int`), ORDINAL] as const;
  }
}

/** A column that keys are looked up in. */
export interface KeyColumn {
  readonly model: ModelStatic<Model>;
  readonly attribute: string;
}

/**
 * Runs one SELECT that `find` makes Sequelize build once for each key, within one statement: the
 * SELECT becomes a LATERAL subquery beside the list of keys. It must use one
 * {@link KeyMarks.part} a column: this is how it is told from the other statements of the batch.
 *
 * The rows of a key come in the order of the SELECT: a subquery with ORDER BY or LIMIT is never
 * merged with the query around it, so the list of keys is walked and the subquery run for each.
 *
 * @throws OptionsError when no such SELECT was sent
 */
export async function runPerKey<T>(
  label: string,
  columns: readonly KeyColumn[],
  keys: readonly (readonly string[])[],
  find: (marks: KeyMarks) => Promise<T>,
): Promise<T> {
  const marks = new KeyMarks();
  const sent = { done: false };
  const result = await runRewriting(
    (outer) => (sql, options) => {
      if (sent.done || !isPerKey(sql, marks, columns.length)) return outer(sql, options);
      sent.done = true;
      return lateral(sql.replaceAll(marks.name, KEYS), columns, keys);
    },
    () => find(marks),
  );
  if (!sent.done) {
    throw new OptionsError(
      `${label}: the query for all keys was not sent in its form; a hook may have replaced its conditions.`,
    );
  }
  return result;
}

function isPerKey(sql: string, marks: KeyMarks, parts: number): boolean {
  if (!sql.startsWith('SELECT ')) return false;
  for (let index = 0; index < parts; index++) {
    if (!sql.includes(`${marks.name}."part${index}"`)) return false;
  }
  return true;
}

function lateral(
  sql: string,
  columns: readonly KeyColumn[],
  keys: readonly (readonly string[])[],
): string {
  const lists = columns.map((column, index) =>
    typedArray(
      column,
      keys.map((key) => key[index] ?? ''),
    ),
  );
  const parts = columns.map((_, index) => `"part${index}"`);
  return (
    `SELECT "fresh_reads_rows".* FROM unnest(${lists.join(', ')}) WITH ORDINALITY ` +
    `AS ${KEYS}(${[...parts, '"ordinal"'].join(', ')}) ` +
    `CROSS JOIN LATERAL (${sql.replace(/;\s*$/, '')}) AS "fresh_reads_rows";`
  );
}

/**
 * The keys as one array. Whole numbers have a type that holds them all. The others have the column's
 * own, which only the server knows (a model may say STRING of a uuid): an array without a type takes
 * the type of what is to be removed from it, and that is a column of no rows.
 */
function typedArray({ model, attribute }: KeyColumn, texts: readonly string[]): string {
  const { type, field = attribute } = model.getAttributes()[attribute] ?? {};
  const { whole } = codecOf(type);
  if (whole) return wholeLiteral(whole, texts);
  const { sequelize } = model as unknown as { sequelize: SequelizeWithGenerator };
  const generator = sequelize.getQueryInterface().queryGenerator;
  const column = generator.quoteIdentifier(field);
  const table = generator.quoteTable(model.getTableName());
  return `array_remove(${sequelize.escape(arrayText(texts))}, (SELECT ${column} FROM ${table} LIMIT 0))`;
}

interface SequelizeWithGenerator {
  escape(value: string): string;
  getQueryInterface(): {
    queryGenerator: {
      quoteIdentifier(name: string): string;
      quoteTable(name: unknown): string;
    };
  };
}
