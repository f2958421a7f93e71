import type { Sequelize } from 'sequelize';
import {
  assertFunction,
  assertOperationOptions,
  assertSupported,
  isSequelize,
  tableNameOf,
} from './arguments';
import { OptionsError, echo } from './errors';
import type {
  Disposable,
  FreshReads,
  NodeStatus,
  OperationOptions,
  Status,
  TableLike,
} from './handle';
import {
  type Ledger,
  Operation,
  currentFrame,
  currentOperation,
  runAsking,
  runInExactFrame,
  runInOperation,
  toRecord,
  type WriteRecord,
} from './operation';
import type { FreshReadsOptions } from './options';
import { assertSameOptions, resolveOptions, type ResolvedOptions } from './resolve-options';
import { secretWarning } from './session-secret';
import type { Sessions } from './sessions';
import type { Decision } from './routing';
import { Reporter } from './reporter';
import { PRIMARY, Statement, type ReplicaConfig } from './sequelize';
import { wire, type Wiring } from './wiring';

const PRIMARY_STATUS: NodeStatus = {
  name: PRIMARY,
  role: 'primary',
  health: 'up',
  serves: true,
  lagMs: undefined,
  lagBytes: undefined,
};
const NO_RECORDS: readonly WriteRecord[] = Object.freeze([]);

const handles = new WeakMap<Sequelize, Handle>();

/**
 * Routes the reads of `sequelize`: to replicas, unless a read could miss a write that its own caller
 * made. Synchronous, opens no connection. The same instance again gives the same handle, until it is
 * closed.
 *
 * @throws OptionsError when `sequelize` is not a Sequelize 6 instance on PostgreSQL, for an unknown
 *   option or a bad value, and when the instance has a handle with other options
 */
export function freshReads(sequelize: Sequelize, options?: FreshReadsOptions): FreshReads {
  assertSupported(sequelize);
  const existing = handles.get(sequelize);
  if (existing && !existing.closed) {
    if (options !== undefined) assertSameOptions(existing.options, resolveOptions(options));
    return existing;
  }
  const resolved = resolveOptions(options);
  const handle = new Handle(sequelize, resolved);
  const warning = secretWarning(options ?? {}, resolved.sessionSecret);
  if (warning !== undefined) handle.parts.warn(warning);
  handles.set(sequelize, handle);
  return handle;
}

/** For the other doors of this package: what stands behind a handle. */
export interface HandleParts {
  readonly sequelize: Sequelize;
  readonly ledger: Ledger;
  readonly sessions: Sessions;
  /** Nothing is routed or noted any more. */
  readonly closed: boolean;
  /** Reports something that should not go unnoticed, once for each `once`. */
  warn(message: string, once?: string): void;
  /** The tables behind a table or view; `undefined` while that is not known. */
  tablesRead(table: TableLike): readonly string[] | undefined;
  /** Warns of tables that a loader names and the database does not have. False: not known yet. */
  warnOfMissing(loader: string, tables: readonly TableLike[]): boolean;
}

/** @throws OptionsError when `reads` is not a handle made by `freshReads`. */
export function partsOf(reads: FreshReads, where: string): HandleParts {
  if (reads instanceof Handle) return reads.parts;
  const got = isSequelize(reads) ? 'a Sequelize instance itself' : echo(reads);
  throw new OptionsError(
    `${where}: the first argument must be the handle that freshReads(sequelize) gave, got ${got}. ` +
      `Write ${where}(freshReads(sequelize), …).`,
  );
}

class Handle implements FreshReads {
  readonly options: ResolvedOptions;
  readonly parts: HandleParts;
  readonly #reporter: Reporter;
  readonly #wiring: Wiring;
  #closing: Promise<void> | undefined;

  constructor(sequelize: Sequelize, options: ResolvedOptions) {
    this.options = options;
    this.#reporter = new Reporter(options.logger);
    this.#wiring = wire(sequelize, {
      options,
      reporter: this.#reporter,
      closed: () => this.closed,
      close: () => this.close(),
    });
    const { ledger, sessions, replicated, nodes } = this.#wiring;
    const closed = () => this.closed;
    this.parts = {
      get closed() {
        return closed();
      },
      sequelize,
      ledger,
      sessions,
      warn: (message, once) => this.#reporter.warn(message, once),
      tablesRead: (table) => this.#tablesRead(table),
      warnOfMissing: (loader, tables) =>
        this.#wiring.knowledge.warnOfMissing(
          loader,
          tables.map((table) => tableNameOf(loader, table)),
        ),
    };
    if (!replicated) {
      this.#reporter.warn(
        'this Sequelize instance has no `replication` option: nothing is routed. ' +
          'Histories, loader clearing and decisions work all the same.',
      );
    } else if (nodes.replicas.length === 0) {
      this.#reporter.warn('`replication.read` is empty: there is no replica to read from.');
    }
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  async ready(): Promise<void> {
    if (this.closed) return;
    const { knowledge, sessions } = this.#wiring;
    await knowledge.catalog.ready();
    if (sessions.enabled) await sessions.whenNamed();
  }

  refreshCatalog(): Promise<void> {
    return this.closed ? Promise.resolve() : this.#wiring.knowledge.catalog.reload();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  addReplica(config: ReplicaConfig): string {
    return this.#wiring.replicas.add(config);
  }

  removeReplica(name: string): Promise<void> {
    return this.#wiring.replicas.remove(name);
  }

  async runOperation<T>(options: OperationOptions, fn: () => T): Promise<Awaited<T>> {
    assertOperationOptions(options);
    assertFunction('runOperation(options, fn)', fn);
    const { token: given, kind = 'job', ...info } = options;
    const token = given ?? undefined;
    const around = currentOperation();
    const operation = around ?? new Operation({ ...info, kind });
    if (token !== undefined) this.#wiring.sessions.accept(token, operation);
    if (around) {
      if (token !== undefined) this.#wiring.sessions.handled(operation);
      return await fn();
    }
    // By hand: no door inside it carries them as well.
    this.#wiring.sessions.claim(operation, this);
    try {
      return await runInOperation(operation, fn);
    } finally {
      operation.end();
    }
  }

  bindOperation<Args extends unknown[], Result>(
    fn: (...args: Args) => Result,
  ): (...args: Args) => Result {
    assertFunction('bindOperation(fn)', fn);
    const frame = currentFrame();
    return function (this: unknown, ...args) {
      return runInExactFrame(frame, () => fn.apply(this, args));
    };
  }

  token(): Promise<string | undefined> {
    return this.#wiring.sessions.token();
  }

  usePrimary<T>(fn: () => T): T {
    assertFunction('usePrimary(fn)', fn);
    return runAsking('primary', fn);
  }

  useReplica<T>(fn: () => T): T {
    assertFunction('useReplica(fn)', fn);
    return runAsking('replica', fn);
  }

  markWritten(tables: readonly TableLike[]): void {
    if (!Array.isArray(tables)) {
      throw new OptionsError(
        `markWritten(tables): tables must be an array, got ${echo(tables)}; write markWritten([table]).`,
      );
    }
    const keys = tables.flatMap((table: TableLike) =>
      this.#wiring.knowledge.changedBy(tableNameOf('markWritten', table)),
    );
    this.#wiring.ledger.open([...new Set(keys)], [], currentFrame()).commit();
  }

  history(): readonly WriteRecord[] {
    const { operation } = currentFrame();
    if (!operation || this.#wiring.ledger.isEmptyFor(operation)) return NO_RECORDS;
    return this.#wiring.writes.ofOperation(operation).map(toRecord);
  }

  status(): Status {
    const { policy, replicated, nodes, writes, sessions, outside } = this.#wiring;
    return {
      freshness: policy.mode,
      routing: this.options.routing,
      replicated,
      nodes: [{ ...PRIMARY_STATUS }, ...nodes.replicas.map((name) => this.#replicaStatus(name))],
      liveWrites: writes.ofProcess().map(toRecord),
      warnings: this.#reporter.warnings,
      tokens: sessions.counts,
      outsideOperation: { ...outside },
      closed: this.closed,
    };
  }

  onDecision(fn: (decision: Decision) => void): Disposable {
    assertFunction('onDecision(fn)', fn);
    return this.#reporter.listen(fn);
  }

  #close(): Promise<void> {
    this.#reporter.close();
    return this.#wiring.remove();
  }

  #replicaStatus(name: string): NodeStatus {
    const { pools, policy } = this.#wiring;
    const pool = pools?.pools.replicas().find(({ node }) => node === name);
    const lag = policy.lag(name);
    const health = pool?.state.kind ?? 'up';
    return {
      name,
      role: 'replica',
      health,
      serves: health === 'up' && policy.serves(name),
      lagMs: lag?.ms,
      lagBytes: lag?.bytes === undefined ? undefined : Number(lag.bytes),
    };
  }

  #tablesRead(table: TableLike): readonly string[] | undefined {
    const { schema, name } = tableNameOf('reads', table);
    const path = [schema, name].filter((part) => part !== undefined);
    const quoted = path.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
    return this.#wiring.router.tablesRead(new Statement(`SELECT 1 FROM ${quoted}`, currentFrame()));
  }
}
