import { isDeepStrictEqual } from 'node:util';
import type { Sequelize } from 'sequelize';
import { assertFunction, assertOperationOptions, assertSupported, tableNameOf } from './arguments';
import { OptionsError, echo } from './errors';
import { FixedWindow, type FreshnessPolicy, type ProbeEnvironment } from './freshness';
import type {
  Disposable,
  FreshReads,
  NodeStatus,
  OperationOptions,
  Status,
  TableLike,
} from './handle';
import {
  EVERYTHING,
  Ledger,
  Operation,
  currentFrame,
  currentOperation,
  logicalTime,
  runAsking,
  runInExactFrame,
  runInOperation,
  toRecord,
  type WriteRecord,
} from './operation';
import type { FreshReadsOptions } from './options';
import { policyFor } from './policy-for';
import { resolveOptions, type ResolvedOptions } from './resolve-options';
import { Sessions } from './sessions';
import type { Decision } from './routing';
import {
  Decisions,
  Knowledge,
  LiveWrites,
  Marker,
  Nodes,
  PRIMARY,
  ReplicaSet,
  Router,
  SessionReads,
  Statement,
  UnknownOutcomes,
  install,
  installNodePools,
  internalsOf,
  ownQuery,
  probeOpener,
  type Installation,
  type NodePoolsInstallation,
  type ReplicaConfig,
} from './sequelize';

/** Without replicas nothing is held back: this is how long write records are kept to be looked at. */
const UNREPLICATED_WINDOW_MS = 1000;
const PRIMARY_STATUS: NodeStatus = {
  name: PRIMARY,
  role: 'primary',
  health: 'up',
  serves: true,
  lagMs: undefined,
  lagBytes: undefined,
};
const NO_FRAME = { operation: undefined, resolver: undefined, field: undefined };
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
    if (options !== undefined && !isDeepStrictEqual(existing.options, resolveOptions(options))) {
      throw new OptionsError(
        'freshReads(sequelize, options): this instance already has a handle with other options. ' +
          'Call it once, or with the same options, or close() the first handle.',
      );
    }
    return existing;
  }
  const handle = new Handle(sequelize, resolveOptions(options));
  handles.set(sequelize, handle);
  return handle;
}

/** For the other doors of this package: what stands behind a handle. */
export interface HandleParts {
  readonly sequelize: Sequelize;
  readonly ledger: Ledger;
  readonly sessions: Sessions;
  /** Reports something that should not go unnoticed, once for each `once`. */
  warn(message: string, once?: string): void;
  /** The tables behind a table or view; `undefined` while that is not known. */
  tablesRead(table: TableLike): readonly string[] | undefined;
}

/** @throws OptionsError when `reads` is not a handle made by `freshReads`. */
export function partsOf(reads: FreshReads, where: string): HandleParts {
  if (reads instanceof Handle) return reads.parts;
  throw new OptionsError(
    `${where}: the first argument must be the handle that freshReads(sequelize) gave, got ${echo(reads)}.`,
  );
}

class Handle implements FreshReads {
  readonly options: ResolvedOptions;
  readonly parts: HandleParts;
  readonly #ledger: Ledger;
  readonly #policy: FreshnessPolicy;
  readonly #knowledge: Knowledge;
  readonly #nodes: Nodes;
  readonly #router: Router;
  readonly #writes: LiveWrites;
  readonly #sessions: Sessions;
  readonly #outside = { reads: 0, writes: 0 };
  readonly #unknown: UnknownOutcomes;
  readonly #installation: Installation;
  readonly #pools: NodePoolsInstallation | undefined;
  readonly #replicas: ReplicaSet;
  readonly #warnings: string[] = [];
  readonly #said = new Set<string>();
  readonly #listeners = new Set<(decision: Decision) => void>();
  readonly #replicated: boolean;
  #closing: Promise<void> | undefined;

  constructor(sequelize: Sequelize, options: ResolvedOptions) {
    const instance = internalsOf(sequelize);
    const query = ownQuery(instance, () => this.#pools !== undefined && !this.closed);
    this.options = options;
    this.#replicated = Boolean(instance.options.replication);
    this.#nodes = new Nodes(instance);
    this.#policy = this.#replicated
      ? policyFor(options.freshness, this.#environment(instance))
      : new FixedWindow(UNREPLICATED_WINDOW_MS);
    this.#ledger = new Ledger((mark) => this.#policy.committed(mark), options.historyScope);
    this.#unknown = new UnknownOutcomes(query);
    this.#knowledge = new Knowledge(options, {
      query,
      warn: (message) => this.#warn(message),
      onForeignChange: () => this.#everythingWritten(),
    });
    this.#writes = new LiveWrites(this.#ledger, this.#policy);
    const sessionReads = new SessionReads({
      enabled: options.monotonicReads,
      ledger: this.#ledger,
      policy: this.#policy,
      nodes: this.#nodes,
    });
    this.#sessions = new Sessions({
      secrets: options.sessionSecret,
      ledger: this.#ledger,
      policy: this.#policy,
      liveWrites: (operation) => this.#writes.ofClient(operation),
      tables: () => this.#knowledge.tables,
      seen: (operation) => sessionReads.seen(operation),
    });
    this.#router = new Router({
      options,
      ledger: this.#ledger,
      policy: this.#policy,
      knowledge: this.#knowledge,
      nodes: this.#nodes,
      writes: this.#writes,
      sessions: sessionReads,
    });
    this.#pools =
      this.#replicated && options.routing === 'enforce'
        ? installNodePools(instance, {
            nodes: this.#nodes,
            admit: (node, connection) => this.#policy.admit(node, connection),
            lost: (node) => this.#policy.lost(node),
            inUse: (node) => this.#policy.inUse(node),
            serves: (node) => this.#policy.serves(node),
            options: {
              connectTimeoutMs: options.replicaConnectTimeoutMs,
              replicaTimeoutMs: options.replicaTimeoutMs,
              ...(options.maxPrimaryFallback !== undefined && {
                maxPrimaryFallback: options.maxPrimaryFallback,
              }),
            },
          })
        : undefined;
    if (this.#pools) {
      const { pools } = this.#pools;
      this.#router.watch(pools);
      pools.onStateChange(({ node, from, to, because }) => {
        this.#log(`${node}: ${from} -> ${to} (${because})`);
      });
    }
    this.#replicas = new ReplicaSet({
      nodes: this.#nodes,
      policy: this.#policy,
      pools: this.#pools,
      fixed: () => (this.closed ? 'closed' : this.#replicated ? undefined : 'no-replication'),
    });
    this.#installation = install(sequelize, {
      router: this.#router,
      pools: this.#pools?.pools,
      marker: new Marker(this.#ledger, this.#knowledge, this.#unknown.take),
      sessions: sessionReads,
      decisions: new Decisions({
        knowledge: this.#knowledge,
        writes: this.#writes,
        observing: options.routing === 'observe',
      }),
      onOutside: (kind) => {
        this.#outside[kind]++;
      },
      listening: () => this.#listeners.size > 0,
      onDecision: (decision) => this.#tell(decision),
      onFirstStatement: () => this.#knowledge.catalog.start(),
      onClose: () => this.close(),
    });
    this.parts = {
      sequelize,
      ledger: this.#ledger,
      sessions: this.#sessions,
      warn: (message, once) => this.#warn(message, once),
      tablesRead: (table) => this.#tablesRead(table),
    };
    if (!this.#replicated) {
      this.#warn(
        'this Sequelize instance has no `replication` option: nothing is routed. ' +
          'Histories, loader clearing and decisions work all the same.',
      );
    } else if (this.#nodes.replicas.length === 0) {
      this.#warn('`replication.read` is empty: there is no replica to read from.');
    }
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  ready(): Promise<void> {
    return this.closed ? Promise.resolve() : this.#knowledge.catalog.ready();
  }

  refreshCatalog(): Promise<void> {
    return this.closed ? Promise.resolve() : this.#knowledge.catalog.reload();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  addReplica(config: ReplicaConfig): string {
    return this.#replicas.add(config);
  }

  removeReplica(name: string): Promise<void> {
    return this.#replicas.remove(name);
  }

  async runOperation<T>(options: OperationOptions, fn: () => T): Promise<Awaited<T>> {
    assertOperationOptions(options);
    assertFunction('runOperation(options, fn)', fn);
    const { token, kind = 'job', ...info } = options;
    const around = currentOperation();
    const operation = around ?? new Operation({ ...info, kind });
    if (token !== undefined) this.#sessions.accept(token, operation);
    if (around) return await fn();
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
    return this.#sessions.token();
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
      this.#knowledge.changedBy(tableNameOf(table)),
    );
    this.#ledger.open([...new Set(keys)], [], currentFrame()).commit();
  }

  history(): readonly WriteRecord[] {
    const { operation } = currentFrame();
    if (!operation || this.#ledger.isEmptyFor(operation)) return NO_RECORDS;
    return this.#writes.ofOperation(operation).map(toRecord);
  }

  status(): Status {
    return {
      freshness: this.#policy.mode,
      routing: this.options.routing,
      replicated: this.#replicated,
      nodes: [
        { ...PRIMARY_STATUS },
        ...this.#nodes.replicas.map((name) => this.#replicaStatus(name)),
      ],
      liveWrites: this.#writes.ofProcess().map(toRecord),
      warnings: [...this.#warnings],
      tokens: this.#sessions.counts,
      outsideOperation: { ...this.#outside },
      closed: this.closed,
    };
  }

  onDecision(fn: (decision: Decision) => void): Disposable {
    assertFunction('onDecision(fn)', fn);
    // A wrapper, so that the same function may listen twice and be disposed of one by one.
    const listener = (decision: Decision) => fn(decision);
    this.#listeners.add(listener);
    const dispose = () => void this.#listeners.delete(listener);
    return { dispose, [Symbol.dispose]: dispose };
  }

  async #close(): Promise<void> {
    this.#installation.remove();
    this.#pools?.remove();
    this.#unknown.close();
    this.#listeners.clear();
    await Promise.all([this.#policy.close(), this.#knowledge.catalog.close()]);
  }

  #replicaStatus(name: string): NodeStatus {
    const pool = this.#pools?.pools.replicas().find(({ node }) => node === name);
    const lag = this.#policy.lag(name);
    const health = pool?.state.kind ?? 'up';
    return {
      name,
      role: 'replica',
      health,
      serves: health === 'up' && this.#policy.serves(name),
      lagMs: lag?.ms,
      lagBytes: lag?.bytes,
    };
  }

  #tablesRead(table: TableLike): readonly string[] | undefined {
    const { schema, name } = tableNameOf(table);
    const path = [schema, name].filter((part) => part !== undefined);
    const quoted = path.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
    return this.#router.tablesRead(new Statement(`SELECT 1 FROM ${quoted}`, currentFrame()));
  }

  #environment(instance: ReturnType<typeof internalsOf>): ProbeEnvironment {
    return {
      primary: PRIMARY,
      replicas: this.#nodes.replicas,
      openProbe: probeOpener(instance, this.#nodes),
      logicalTime,
      onWarning: (message) => this.#warn(message),
      onNodeChanged: (node) => this.#pools?.pools.renew(node),
    };
  }

  #everythingWritten(): void {
    this.#ledger.open([EVERYTHING], [], NO_FRAME).commit();
  }

  #tell(decision: Decision): void {
    for (const listener of this.#listeners) {
      try {
        listener(decision);
      } catch (error) {
        this.#warn(
          `an onDecision listener threw: ${String(error)}. Later errors are not reported.`,
          'onDecision',
        );
      }
    }
  }

  #warn(message: string, once = message): void {
    if (this.#said.has(once)) return;
    this.#said.add(once);
    this.#warnings.push(message);
    this.#log(message);
  }

  #log(message: string): void {
    try {
      this.options.logger?.warn(`sequelize-fresh-reads: ${message}`);
    } catch {
      // A logger must not break what it is told about; warnings are in status() all the same.
    }
  }
}
