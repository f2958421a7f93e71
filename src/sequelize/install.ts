import { QueryTypes, type Sequelize } from 'sequelize';
import { currentFrame } from '../operation';
import type { Decision } from '../routing';
import type { NodePools } from '../replicas';
import { carriedBy, carrying } from './carry';
import type { Decisions } from './decisions';
import { markReadsThatFeedWrites } from './feeds-writes';
import { finalText } from './final-text';
import { attempts, type Attempt } from './attempts';
import {
  internalsOf,
  type Connection,
  type RunnableQuery,
  type SequelizeInternals,
  type SequelizeQuery,
  type StatementOptions,
} from './internals';
import { withoutAttributes } from './lean-rows';
import { PRIMARY } from './nodes';
import { serverVersion } from './server-version';
import { Statement } from './statement';
import type { Router } from './router';
import type { Marker } from './marker';
import type { SessionReads } from './session-reads';

const HOOK = 'sequelize-fresh-reads';

/**
 * What a hook returns when there is nothing to wait for: Sequelize awaits it whatever it is, and would
 * have to make a promise of anything else.
 */
const DONE = Promise.resolve();

const unknownTables = (): undefined => undefined;

export interface Installation {
  /** Makes every later call pass through as if this package were not there. Idempotent. */
  remove(): void;
}

export interface InstallParts {
  readonly router: Router;
  readonly marker: Marker;
  readonly sessions: SessionReads;
  readonly decisions: Decisions;
  /** The pools that routed statements go to; none where they stay where Sequelize sends them. */
  readonly pools: NodePools<Connection> | undefined;
  /** A statement that nobody has opened an operation for. */
  readonly onOutside: (kind: 'reads' | 'writes') => void;
  /** Someone listens to decisions, so it is worth making them. */
  readonly listening: () => boolean;
  readonly onDecision: (decision: Decision) => void;
  readonly onFirstStatement: () => void;
  readonly onClose: () => Promise<void>;
}

/** Puts our `query` and the hooks in place on one instance. */
export function install(sequelize: Sequelize, parts: InstallParts): Installation {
  const instance = internalsOf(sequelize);
  const { router, marker, sessions, pools } = parts;
  let installed = true;
  let started = false;

  const tag: Tag = (sql, options) => {
    if (!installed) return undefined;
    if (!started) {
      started = true;
      parts.onFirstStatement();
    }
    return describe(instance, sql, options);
  };
  const read = (statement: Statement): void =>
    sessions.end(statement.frame.operation, statement.from, statement.readsBefore);
  const restoreQuery = wrapQuery(sequelize, instance, {
    tag,
    issued: (statement) => marker.issued(statement),
    attempt: attempts({
      elsewhere: pools && { pools, versionKnown: serverVersion(instance) },
      answered: sessions.enabled ? read : undefined,
      failed: (statement) => {
        // Another hook may have stopped it before it was sent: then nothing was written.
        statement.sent?.dropUnlessSent();
        read(statement);
      },
    }),
  });
  markReadsThatFeedWrites(sequelize);
  const restoreClose = wrapClose(sequelize, instance, parts.onClose);

  const beforePoolAcquire = (options: StatementOptions): Promise<void> => {
    const statement = carriedBy(options);
    if (!statement) {
      if (!pools) return DONE;
      if (options.uuid === undefined) {
        // A statement that did not come through our `query`: nothing is known of it.
        options.useMaster = true;
      } else if (options.type === QueryTypes.SELECT) {
        const frame = currentFrame();
        // What it will read is decided here, and not known yet.
        frame.batch?.onRead(unknownTables);
        const route = router.routeOfReadOnlyTransaction(frame);
        if (route instanceof Promise)
          return route.then((found) => void (options.useMaster = found));
        options.useMaster = route;
      }
      return DONE;
    }
    statement.useMaster ??= options.useMaster === true;
    router.decide(statement, options);
    // Not only when it has a connection: a write that is made meanwhile is not in what it reads.
    tellBatch(statement);
    if (!pools) return DONE;
    if (router.waits.mayWait(statement)) {
      return router.waits.wait(statement, options).then(() => send(statement, options));
    }
    send(statement, options);
    return DONE;
  };

  const tellBatch = (statement: Statement): void =>
    statement.frame.batch?.onRead(() => router.tablesRead(statement));

  const send = (statement: Statement, options: StatementOptions): void => {
    const route = router.routeOf(statement, options);
    statement.route = route === true ? undefined : route;
    options.useMaster = route;
  };

  const beforeQuery = (options: StatementOptions, query: RunnableQuery): Promise<void> => {
    const statement = carriedBy(options);
    if (!statement) {
      marker.markUnseen(query);
      return DONE;
    }
    if (parts.listening() && !marker.isHousekeeping(statement, options)) {
      const node = router.nodeOf(query.connection);
      parts.onDecision(parts.decisions.of(statement, node, Boolean(options.transaction)));
    }
    // In a transaction there is no decision before this.
    if (!statement.verdict) tellBatch(statement);
    const node = router.nodeOf(query.connection);
    statement.from = sessions.begin(statement.frame.operation, node);
    // When Sequelize itself repeats it, the first try may not have come to be sent.
    statement.sent?.dropUnlessSent();
    const sent = (statement.sent = marker.mark(statement, query, node !== PRIMARY));
    if (!statement.frame.operation && !marker.isHousekeeping(statement, options)) {
      parts.onOutside(sent ? 'writes' : 'reads');
    }
    return DONE;
  };

  instance.addHook('beforePoolAcquire', HOOK, beforePoolAcquire);
  instance.addHook('beforeQuery', HOOK, beforeQuery);

  return {
    remove() {
      if (!installed) return;
      installed = false;
      instance.removeHook('beforePoolAcquire', HOOK);
      instance.removeHook('beforeQuery', HOOK);
      restoreQuery();
      restoreClose();
    },
  };
}

type Tag = (sql: unknown, options: StatementOptions | undefined) => Statement | undefined;

/** What a handle does with the calls of `query`. */
interface Handling {
  readonly tag: Tag;
  /** A statement was issued; what is returned is to be called when it is over. */
  readonly issued: (statement: Statement) => (() => void) | undefined;
  readonly attempt: Attempt;
}

const handlings = new WeakMap<Sequelize, { current: Handling | undefined }>();

/**
 * Our own `query` on the instance: the only place that sees the text before a connection is picked.
 * Where there was no own one, the prototype's is looked up at call time, so that instrumentation
 * patched in later still runs. It stays when the handle is closed (somebody may have wrapped it, and
 * loaders go on needing their texts put in final form) and passes everything else through.
 */
function wrapQuery(
  sequelize: Sequelize,
  instance: SequelizeInternals,
  handling: Handling,
): () => void {
  let slot = handlings.get(sequelize);
  if (!slot) {
    slot = { current: undefined };
    handlings.set(sequelize, slot);
    instance.query = ownQueryOf(sequelize, slot);
  }
  slot.current = handling;
  return () => {
    if (slot.current === handling) slot.current = undefined;
  };
}

function ownQueryOf(
  sequelize: Sequelize,
  slot: { readonly current: Handling | undefined },
): SequelizeQuery {
  const own = ownMember(sequelize, 'query') as SequelizeQuery | undefined;
  const proto = Object.getPrototypeOf(sequelize) as { query: SequelizeQuery };
  return function (this: Sequelize, sql, options) {
    const next = own ?? proto.query;
    const { batch } = currentFrame();
    const given = options as StatementOptions | undefined;
    const asked = batch ? withoutAttributes(sequelize, given) : given;
    const text = batch?.rewrite && typeof sql === 'string' ? batch.rewrite(sql, given) : sql;
    const handling = slot.current;
    const first = handling?.tag(text, asked);
    if (!handling || !first) return next.call(this, text, asked);
    const run = (statement: Statement) => next.call(this, text, carrying(asked, statement));
    const over = handling.issued(first);
    const running = handling.attempt(first, run);
    if (over) running.then(over, over);
    return running;
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
