/**
 * The few members of Sequelize 6 and of pg that this room relies on and that their types don't
 * show. Everything private is named here, so that an upgrade has one page to check.
 */
import type { EventEmitter } from 'node:events';
import type { QueryOptions, Sequelize } from 'sequelize';

/** A pg client as Sequelize's pools hold it. */
export interface Connection extends EventEmitter {
  readonly host?: string;
  readonly port?: number;
  /** The server process behind this connection. */
  readonly processID?: number | null;
  /** Set by Sequelize's replication pools. */
  queryType?: 'read' | 'write';
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>;
  /** The wire: emits `commandComplete`, `errorMessage` and `readyForQuery`. */
  readonly connection: EventEmitter;
}

export interface Pool {
  acquire: (queryType?: string, useMaster?: unknown) => Promise<Connection>;
  release(connection: Connection): void;
  read?: { acquire(): Promise<Connection> };
  write?: { acquire(): Promise<Connection> };
}

export interface ConnectionManager {
  pool: Pool;
  readonly config: { readonly replication?: false | { readonly read: readonly NodeConfig[] } };
}

export interface NodeConfig {
  readonly name?: unknown;
  readonly host?: string;
  readonly port?: number | string;
}

/** A statement as the query hooks see it. */
export interface RunnableQuery {
  readonly connection: Connection;
  run(sql: string, parameters?: unknown): Promise<unknown>;
}

/** The options object that `sequelize.query` makes for one statement and hands to the hooks. */
export interface StatementOptions extends Omit<
  QueryOptions,
  'transaction' | 'bind' | 'replacements' | 'useMaster'
> {
  useMaster?: unknown;
  /** Only for the start of a transaction, which has no SQL. */
  uuid?: string;
  transaction?: { connection?: Connection } | null;
  searchPath?: string;
  tableNames?: readonly string[];
  bind?: unknown;
  replacements?: unknown;
}

/** What a finder passes on, so far as instances are made by it. */
export interface FinderOptions extends StatementOptions {
  readonly model?: ModelInternals;
  readonly hasJoin?: boolean;
  readonly attributes?: unknown;
  /** Before those of virtual attributes were put in their place. */
  readonly originalAttributes?: unknown;
}

/** A model class. */
export interface ModelInternals {
  readonly build: unknown;
  readonly bulkBuild: unknown;
  readonly _hasDateAttributes: boolean;
  readonly _hasBooleanAttributes: boolean;
  /** By attribute: of types that put a value in order. */
  readonly _dataTypeSanitizers: object;
  readonly _virtualAttributes: ReadonlySet<unknown>;
  readonly prototype: {
    /** How many. */
    readonly _hasCustomGetters: number;
    readonly _initValues: unknown;
    readonly get: unknown;
    readonly set: unknown;
    readonly toJSON: unknown;
  };
}

/** An include after Sequelize has worked it out. */
export interface IncludeInternals {
  readonly as: string;
  readonly required?: boolean;
  readonly hasMultiAssociation?: boolean;
  readonly association: {
    readonly associationType: string;
    readonly isMultiAssociation: boolean;
    /** It has a name other than its target's. */
    readonly isAliased: boolean;
    readonly target: unknown;
  };
}

/** What Sequelize makes of a query's includes, and keeps with each instance that has them. */
export interface IncludesInternals {
  include?: readonly IncludeInternals[] | undefined;
  readonly includeNames?: readonly string[];
  readonly includeMap?: Readonly<Record<string, IncludeInternals>>;
}

/** A model class, as it works out includes; the options are changed. */
export interface IncludingInternals {
  _conformIncludes(options: object, self: unknown): void;
  _expandIncludeAll(options: object): void;
  _validateIncludedElements(options: object): IncludesInternals;
}

/** An instance. */
export interface InstanceInternals {
  _options: IncludesInternals;
  /** With `raw`, and the name of an include that `_options` has: builds its instances. */
  set(name: string, value: unknown, options: { readonly raw: true }): unknown;
}

export type SequelizeQuery = (this: Sequelize, sql: unknown, options?: unknown) => Promise<unknown>;

export interface SequelizeInternals {
  query: SequelizeQuery;
  close: (this: Sequelize) => Promise<void>;
  connectionManager: ConnectionManager;
  getQueryInterface(): Record<string, (this: unknown, ...args: unknown[]) => unknown>;
  dialect: {
    name: string;
    Query: {
      formatBindParameters(sql: string, bind: unknown, dialect: string): [string, unknown];
    };
  };
  options: {
    native?: boolean;
    /** 0 until a server has told. */
    databaseVersion?: string | number;
    dialect: string;
    dialectOptions?: { prependSearchPath?: boolean };
    query?: StatementOptions;
    quoteIdentifiers?: boolean;
    replication?: false | { read: NodeConfig[] | NodeConfig; write: NodeConfig };
  };
  config: { host?: string; port?: number | string };
  addHook(name: string, id: string, fn: (...args: never[]) => unknown): unknown;
  removeHook(name: string, id: string): unknown;
}

/** The same instance with its private members in sight. */
export function internalsOf(sequelize: Sequelize): SequelizeInternals {
  return sequelize as unknown as SequelizeInternals;
}

/** The class that all models of the instance's own copy of Sequelize extend. */
export function baseModelOf(sequelize: Sequelize): ModelInternals {
  return (sequelize.constructor as unknown as { Model: ModelInternals }).Model;
}
