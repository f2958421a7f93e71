import { QueryTypes, type Sequelize } from 'sequelize';
import { currentFrame } from '../operation';
import type { Decision } from '../routing';
import { markReadsThatFeedWrites } from './feeds-writes';
import { finalText } from './final-text';
import {
  internalsOf,
  type Pool,
  type RunnableQuery,
  type SequelizeInternals,
  type SequelizeQuery,
  type StatementOptions,
} from './internals';
import { STATEMENT, Statement } from './statement';
import type { Router } from './router';
import type { Marker, SentWrite } from './marker';

const HOOK = 'sequelize-fresh-reads';

/** In the place of `useMaster`: acquire from the read pool, whatever the query type. */
const FROM_REPLICA = Object.freeze({ route: 'replica' });

const SENT = Symbol('sequelize-fresh-reads.sent');

type TaggedOptions = StatementOptions & {
  [STATEMENT]?: Statement;
  [SENT]?: SentWrite;
  [INTERNAL]?: true;
};

/** Marks the statements of this package itself: they are not routed, marked or reported. */
export const INTERNAL = Symbol('sequelize-fresh-reads.internal');

export interface Installation {
  /** Makes every later call pass through as if this package were not there. Idempotent. */
  remove(): void;
}

export interface InstallParts {
  readonly router: Router;
  readonly marker: Marker;
  readonly enforce: boolean;
  /** Someone listens to decisions, so it is worth making them. */
  readonly listening: () => boolean;
  readonly onDecision: (decision: Decision) => void;
  readonly onFirstStatement: () => void;
  readonly onClose: () => Promise<void>;
}

/** Puts our `query`, the hooks and the pool's second door in place on one instance. */
export function install(sequelize: Sequelize, parts: InstallParts): Installation {
  const instance = internalsOf(sequelize);
  const { router, marker } = parts;
  const routes = parts.enforce && Boolean(instance.options.replication);
  let installed = true;
  let started = false;

  const restoreQuery = wrapQuery(sequelize, instance, (sql, options) => {
    if (!installed || options?.[INTERNAL]) return undefined;
    if (!started) {
      started = true;
      parts.onFirstStatement();
    }
    return describe(instance, sql, options);
  });
  const restorePool = routes ? openSecondDoor(instance.connectionManager.pool) : () => undefined;
  markReadsThatFeedWrites(sequelize);
  const restoreClose = wrapClose(sequelize, instance, parts.onClose);

  const beforePoolAcquire = (options: TaggedOptions): void => {
    const statement = options[STATEMENT];
    if (!statement) {
      if (options.uuid === undefined) {
        // A statement that did not come through our `query`: nothing is known of it.
        if (routes) options.useMaster = true;
      } else if (options.type === QueryTypes.SELECT && routes) {
        const verdict = router.routeReadOnlyTransaction(currentFrame());
        if (verdict.target === 'primary') options.useMaster = true;
      }
      return;
    }
    statement.useMaster ??= options.useMaster === true;
    const verdict = router.route(statement, options);
    statement.verdict = verdict;
    if (!routes) return;
    options.useMaster = verdict.target === 'replica' ? FROM_REPLICA : true;
  };

  const beforeQuery = (options: TaggedOptions, query: RunnableQuery): void => {
    if (options[INTERNAL]) return;
    const statement = options[STATEMENT];
    if (!statement) return marker.markUnseen(query);
    if (parts.listening() && !marker.isHousekeeping(statement, options)) {
      parts.onDecision(router.report(statement, query.connection, Boolean(options.transaction)));
    }
    statement.frame.batch?.onRead(router.tablesRead(statement));
    const sent = marker.mark(statement, query);
    if (sent) options[SENT] = sent;
  };

  const afterQuery = (options: TaggedOptions): void => {
    // Another hook may have stopped the statement before it was sent: then nothing was written.
    options[SENT]?.dropUnlessSent();
  };

  instance.addHook('beforePoolAcquire', HOOK, beforePoolAcquire);
  instance.addHook('beforeQuery', HOOK, beforeQuery);
  instance.addHook('afterQuery', HOOK, afterQuery);

  return {
    remove() {
      if (!installed) return;
      installed = false;
      for (const hook of ['beforePoolAcquire', 'beforeQuery', 'afterQuery']) {
        instance.removeHook(hook, HOOK);
      }
      restoreQuery();
      restorePool();
      restoreClose();
    },
  };
}

type Tag = (sql: unknown, options: TaggedOptions | undefined) => Statement | undefined;

const tags = new WeakMap<Sequelize, { current: Tag | undefined }>();

/**
 * Our own `query` on the instance: the only place that sees the text before a connection is picked.
 * Where there was no own one, the prototype's is looked up at call time, so that instrumentation
 * patched in later still runs. It stays when the handle is closed (somebody may have wrapped it, and
 * loaders go on needing their texts put in final form) and passes everything else through.
 */
function wrapQuery(sequelize: Sequelize, instance: SequelizeInternals, tag: Tag): () => void {
  let slot = tags.get(sequelize);
  if (!slot) {
    slot = { current: undefined };
    tags.set(sequelize, slot);
    instance.query = ownQueryOf(sequelize, slot);
  }
  slot.current = tag;
  return () => {
    if (slot.current === tag) slot.current = undefined;
  };
}

function ownQueryOf(
  sequelize: Sequelize,
  slot: { readonly current: Tag | undefined },
): SequelizeQuery {
  const own = ownMember(sequelize, 'query') as SequelizeQuery | undefined;
  const proto = Object.getPrototypeOf(sequelize) as { query: SequelizeQuery };
  return function (this: Sequelize, sql, options) {
    const next = own ?? proto.query;
    const rewrite = typeof sql === 'string' ? currentFrame().batch?.rewrite : undefined;
    const text = rewrite ? rewrite(sql as string) : sql;
    const statement = slot.current?.(text, options as TaggedOptions | undefined);
    if (!statement) return next.call(this, text, options);
    return next.call(this, text, { ...(options as StatementOptions), [STATEMENT]: statement });
  };
}

function describe(
  instance: SequelizeInternals,
  sql: unknown,
  options: StatementOptions | undefined,
): Statement {
  const ownSearchPath =
    Boolean(instance.options.dialectOptions?.prependSearchPath) &&
    options?.searchPath !== undefined &&
    options.searchPath !== 'DEFAULT';
  return new Statement(finalText(instance, sql, options), currentFrame(), {
    builtInsert: options?.type === QueryTypes.INSERT && 'model' in options,
    ownSearchPath,
  });
}

/** Lets a read without the type SELECT (raw SQL) have a connection of the read pool. */
function openSecondDoor(pool: Pool): () => void {
  const own = pool.acquire;
  const ours: Pool['acquire'] = (queryType, useMaster) =>
    useMaster === FROM_REPLICA && pool.read
      ? pool.read.acquire()
      : own.call(pool, queryType, useMaster);
  pool.acquire = ours;
  return () => {
    if (pool.acquire === ours) pool.acquire = own;
  };
}

function wrapClose(
  sequelize: Sequelize,
  instance: SequelizeInternals,
  onClose: () => Promise<void>,
): () => void {
  const own = ownMember(sequelize, 'close') as SequelizeInternals['close'] | undefined;
  const proto = Object.getPrototypeOf(sequelize) as { close: SequelizeInternals['close'] };
  const ours = async function (this: Sequelize): Promise<void> {
    await onClose();
    return (own ?? proto.close).call(this);
  };
  instance.close = ours;
  return () => {
    if (instance.close === ours) restoreMember(sequelize, 'close', own);
  };
}

function ownMember(object: object, name: string): unknown {
  return Object.prototype.hasOwnProperty.call(object, name)
    ? (object as Record<string, unknown>)[name]
    : undefined;
}

function restoreMember(object: object, name: string, own: unknown): void {
  if (own === undefined) Reflect.deleteProperty(object, name);
  else (object as Record<string, unknown>)[name] = own;
}
