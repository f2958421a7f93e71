/** The name of a table or view; without a schema it is one on the search path. */
export interface TableName {
  readonly schema: string | undefined;
  readonly name: string;
}

/** `users` or `schema.users`, as the options and `markWritten` take it. */
export function parseTableName(table: string): TableName {
  const dot = table.indexOf('.');
  return dot < 0
    ? { schema: undefined, name: table }
    : { schema: table.slice(0, dot), name: table.slice(dot + 1) };
}

/** For warnings: the database has nothing of this name. */
export function noTable(name: string): string {
  return (
    `no table or view ${name} is known on the search path ` +
    '(of other schemas the full name is needed, as in "schema.table")'
  );
}
