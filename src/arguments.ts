import type { Sequelize } from 'sequelize';
import { OptionsError, echo } from './errors';
import type { OperationOptions, TableLike } from './handle';
import { parseTableName, type SequelizeInternals, type TableName } from './sequelize';
import { isRecord, rejectUnknownKeys } from './validate';

const KINDS = ['query', 'mutation', 'subscription', 'request', 'job'] as const;

/** @throws OptionsError unless it is a Sequelize 6 instance that this package can work with */
export function assertSupported(sequelize: unknown): asserts sequelize is Sequelize {
  if (!isSequelize(sequelize)) {
    throw new OptionsError(
      `freshReads(sequelize): the first argument must be a Sequelize 6 instance, got ${echo(sequelize)}.`,
    );
  }
  const { dialect, options } = sequelize;
  if (dialect.name !== 'postgres') {
    throw new OptionsError(
      `freshReads(sequelize): the dialect ${echo(dialect.name)} is not supported, only 'postgres' is.`,
    );
  }
  if (options?.native) {
    throw new OptionsError(
      'freshReads(sequelize): the option native: true is not supported, since pg-native does not ' +
        "show a connection's transaction status; leave it out to use pg.",
    );
  }
}

/** By what it can do: there may be several copies of Sequelize. */
export function isSequelize(
  value: unknown,
): value is Pick<SequelizeInternals, 'dialect'> & Partial<SequelizeInternals> {
  return (
    isRecord(value) &&
    typeof value['query'] === 'function' &&
    typeof value['addHook'] === 'function' &&
    isRecord(value['connectionManager']) &&
    isRecord(value['dialect'])
  );
}

/** @throws OptionsError naming what is wrong with the options of `runOperation` */
export function assertOperationOptions(options: unknown): asserts options is OperationOptions {
  if (!isRecord(options)) {
    throw new OptionsError(
      `runOperation(options, fn): options must be an object such as { name: 'nightly' }, got ${echo(options)}.`,
    );
  }
  rejectUnknownKeys('runOperation', options, ['name', 'kind', 'id', 'token']);
  for (const key of ['name', 'id']) {
    if (options[key] === undefined || typeof options[key] === 'string') continue;
    throw new OptionsError(`runOperation: ${key} must be a string, got ${echo(options[key])}.`);
  }
  const { kind, token } = options;
  if (kind !== undefined && !(KINDS as readonly unknown[]).includes(kind)) {
    const list = KINDS.map((known) => `'${known}'`).join(', ');
    throw new OptionsError(`runOperation: kind must be one of ${list}, got ${echo(kind)}.`);
  }
  if (token === undefined || token === null || typeof token === 'string') return;
  if (Array.isArray(token)) return;
  throw new OptionsError(
    `runOperation: token must be what token() gave, or an array of that, got ${echo(token)}.`,
  );
}

/** @throws OptionsError unless `fn`, the last argument of `call`, is a function */
export function assertFunction(call: string, fn: unknown): void {
  if (typeof fn === 'function') return;
  const hint =
    fn instanceof Promise ? ' What made the promise has begun before: wrap it, () => ...' : '';
  throw new OptionsError(`${call}: fn must be a function, got ${echo(fn)}.${hint}`);
}

/** The name behind a table. @throws OptionsError when there is none; `where` names the call */
export function tableNameOf(where: string, table: TableLike): TableName {
  assertTable(where, table);
  if (typeof table === 'string') return parseTableName(table);
  if (!('getTableName' in table)) return { schema: table.schema, name: table.table };
  const name = table.getTableName();
  if (typeof name === 'string') return { schema: undefined, name };
  return { schema: name.schema ?? undefined, name: name.tableName };
}

/** @throws OptionsError unless `table` can name a table; `where` names the call */
export function assertTable(where: string, table: unknown): asserts table is TableLike {
  if (isText(table)) return;
  // A model is a class; anything with getTableName will do.
  if (typeof table === 'function' || isRecord(table)) {
    const { getTableName, schema, table: name } = table as Readonly<Record<string, unknown>>;
    if (typeof getTableName === 'function') return;
    if (isText(name) && (schema === undefined || isText(schema))) return;
  }
  throw new OptionsError(
    `${where}: a table is 'users', 'schema.users', { schema, table } or a model, got ${echo(table)}.`,
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
