import { isDeepStrictEqual } from 'node:util';
import { LONGEST_TIMER_MS } from './clock';
import { OptionsError, echo } from './errors';
import type { Logger } from './options';
import { sessionSecret, type SessionSecrets } from './session-secret';
import { isRecord, rejectUnknownKeys } from './validate';

/** How the freshness policy was chosen, with every default filled in. */
export type ResolvedFreshness =
  | {
      readonly mode: 'proven';
      readonly catchUpWaitMs: number;
      readonly probeIntervalMs: number;
      readonly heartbeat: { readonly table: string } | undefined;
    }
  | { readonly mode: 'fixed'; readonly windowMs: number }
  | {
      readonly mode: 'measured';
      readonly percentile: number;
      readonly floorMs: number;
      readonly ceilingMs: number;
      readonly probeIntervalMs: number;
      readonly heartbeat: { readonly table: string } | undefined;
    };

export interface ResolvedOptions {
  readonly freshness: ResolvedFreshness;
  readonly outsideOperation: 'process-history' | 'primary';
  readonly mutationReads: 'track' | 'primary';
  readonly ignoreWrites: readonly string[];
  readonly relatedTables: Readonly<Record<string, readonly string[]>>;
  readonly rawReads: 'route' | 'primary';
  readonly onNoReplica: 'primary' | 'error';
  readonly maxPrimaryFallback: number | undefined;
  readonly maxReplicaLagMs: number | undefined;
  readonly replicaConnectTimeoutMs: number;
  readonly replicaTimeoutMs: number;
  readonly historyScope: 'operation' | 'resolver';
  readonly sessionSecret: SessionSecrets | undefined;
  readonly monotonicReads: boolean;
  readonly routing: 'enforce' | 'observe';
  readonly logger: Logger | undefined;
}

type Validators = {
  readonly [Name in keyof ResolvedOptions]: (value: unknown) => ResolvedOptions[Name];
};

const validators: Validators = {
  freshness,
  outsideOperation: oneOf('outsideOperation', ['process-history', 'primary']),
  mutationReads: oneOf('mutationReads', ['track', 'primary']),
  ignoreWrites: (value) => tableNames('ignoreWrites', value ?? []),
  relatedTables,
  rawReads: oneOf('rawReads', ['route', 'primary']),
  onNoReplica: oneOf('onNoReplica', ['primary', 'error']),
  maxPrimaryFallback: (value) =>
    value === undefined ? undefined : count('maxPrimaryFallback', value),
  maxReplicaLagMs: (value) =>
    value === undefined ? undefined : durationMs('maxReplicaLagMs', value),
  replicaConnectTimeoutMs: (value) => timerMs('replicaConnectTimeoutMs', timeoutMs, value ?? 3000),
  replicaTimeoutMs: (value) => timerMs('replicaTimeoutMs', timeoutMs, value ?? 2000),
  historyScope: oneOf('historyScope', ['operation', 'resolver']),
  sessionSecret,
  monotonicReads,
  routing: oneOf('routing', ['enforce', 'observe']),
  logger,
};

/**
 * Options with every default filled in.
 *
 * @throws OptionsError for an unknown option or a value of the wrong kind; the value is echoed.
 */
export function resolveOptions(options: unknown): ResolvedOptions {
  if (options !== undefined && !isRecord(options)) {
    throw new OptionsError(
      `freshReads(sequelize, options): options must be an object, got ${echo(options)}.`,
    );
  }
  const given = options ?? {};
  rejectUnknownKeys('freshReads', given, Object.keys(validators));
  const resolved: Record<string, unknown> = {};
  for (const [name, validate] of Object.entries(validators)) resolved[name] = validate(given[name]);
  return resolved as unknown as ResolvedOptions;
}

/**
 * Options of a second call. No value is echoed: there are secrets among them.
 *
 * @throws OptionsError when they are not those of the first call
 */
export function assertSameOptions(first: ResolvedOptions, second: ResolvedOptions): void {
  const names = Object.keys(validators) as (keyof ResolvedOptions)[];
  const other = names.filter((name) => !isDeepStrictEqual(first[name], second[name]));
  if (other.length === 0) return;
  throw new OptionsError(
    'freshReads(sequelize, options): this instance already has a handle with other options: ' +
      `${other.join(' and ')} ${other.length === 1 ? 'differs' : 'differ'}. ` +
      'Call it once, or with the same options, or close() the first handle.',
  );
}

function oneOf<const Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]) {
  return (value: unknown): Choice => {
    if (value === undefined) return choices[0];
    if ((choices as readonly unknown[]).includes(value)) return value as Choice;
    const list = choices.map((choice) => `'${choice}'`).join(' or ');
    throw new OptionsError(`${name} must be ${list}, got ${echo(value)}.`);
  };
}

function freshness(value: unknown): ResolvedFreshness {
  const given = value ?? { mode: 'proven' };
  if (!isRecord(given)) {
    throw new OptionsError(
      `freshness must be an object such as { mode: 'proven' }, got ${echo(given)}.`,
    );
  }
  switch (given['mode']) {
    case 'proven':
      rejectUnknownKeys('freshness', given, [
        'mode',
        'catchUpWaitMs',
        'probeIntervalMs',
        'heartbeat',
      ]);
      return {
        mode: 'proven',
        catchUpWaitMs: timerMs('freshness.catchUpWaitMs', durationMs, given['catchUpWaitMs'] ?? 0),
        ...probing(given),
      };
    case 'fixed':
      rejectUnknownKeys('freshness', given, ['mode', 'windowMs']);
      return {
        mode: 'fixed',
        windowMs: durationMs('freshness.windowMs', given['windowMs'] ?? 1000),
      };
    case 'measured':
      return measured(given);
    default:
      throw new OptionsError(
        `freshness.mode must be 'proven', 'fixed' or 'measured', got ${echo(given['mode'])}.`,
      );
  }
}

function measured(given: Record<string, unknown>): ResolvedFreshness {
  const known = ['mode', 'percentile', 'floorMs', 'ceilingMs', 'probeIntervalMs', 'heartbeat'];
  rejectUnknownKeys('freshness', given, known);
  const percentile = given['percentile'] ?? 99.9;
  if (typeof percentile !== 'number' || !(percentile > 0 && percentile <= 100)) {
    throw new OptionsError(
      `freshness.percentile must be a number above 0, at most 100, got ${echo(percentile)}.`,
    );
  }
  const floorMs = durationMs('freshness.floorMs', given['floorMs'] ?? 100);
  const ceilingMs = durationMs('freshness.ceilingMs', given['ceilingMs'] ?? 10_000);
  if (floorMs > ceilingMs) {
    throw new OptionsError(
      `freshness.floorMs must not be above freshness.ceilingMs (${ceilingMs}), got ${floorMs}.`,
    );
  }
  return { mode: 'measured', percentile, floorMs, ceilingMs, ...probing(given) };
}

function probing(given: Record<string, unknown>): {
  probeIntervalMs: number;
  heartbeat: { readonly table: string } | undefined;
} {
  const { heartbeat } = given;
  if (heartbeat !== undefined) {
    if (
      !isRecord(heartbeat) ||
      typeof heartbeat['table'] !== 'string' ||
      heartbeat['table'] === ''
    ) {
      throw new OptionsError(
        `freshness.heartbeat must be an object such as { table: 'fresh_reads_heartbeat' }, got ${echo(heartbeat)}.`,
      );
    }
    rejectUnknownKeys('freshness.heartbeat', heartbeat, ['table']);
  }
  return {
    probeIntervalMs: timerMs(
      'freshness.probeIntervalMs',
      timeoutMs,
      given['probeIntervalMs'] ?? 10,
    ),
    heartbeat: heartbeat as { readonly table: string } | undefined,
  };
}

function durationMs(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new OptionsError(
    `${name} must be a number of milliseconds, zero or more, got ${echo(value)}.`,
  );
}

function timeoutMs(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new OptionsError(
    `${name} must be a number of milliseconds above zero, got ${echo(value)}.`,
  );
}

/** For times that timers are set to. */
function timerMs(
  name: string,
  read: (name: string, value: unknown) => number,
  value: unknown,
): number {
  const ms = read(name, value);
  if (ms <= LONGEST_TIMER_MS) return ms;
  throw new OptionsError(
    `${name} must be at most ${LONGEST_TIMER_MS} milliseconds, the longest that a timer runs, got ${echo(ms)}.`,
  );
}

function count(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new OptionsError(`${name} must be a whole number, zero or more, got ${echo(value)}.`);
}

function monotonicReads(value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw new OptionsError(`monotonicReads must be true or false, got ${echo(value)}.`);
}

function tableNames(name: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) {
    throw new OptionsError(`${name} must be an array of table names, got ${echo(value)}.`);
  }
  for (const table of value as unknown[]) {
    if (typeof table === 'string' && table !== '') continue;
    throw new OptionsError(
      `${name} must hold table names such as 'users' or 'schema.users', got ${echo(table)}.`,
    );
  }
  return Object.freeze([...(value as string[])]);
}

function relatedTables(value: unknown): ResolvedOptions['relatedTables'] {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    throw new OptionsError(
      `relatedTables must be an object such as { orders: ['order_totals'] }, got ${echo(value)}.`,
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([table, related]) => [
      table,
      tableNames(`relatedTables.${table}`, related),
    ]),
  );
}

function logger(value: unknown): Logger | undefined {
  if (value === undefined) return undefined;
  if (isRecord(value) && typeof value['warn'] === 'function') return value as unknown as Logger;
  throw new OptionsError(
    `logger must have a warn(message) method, as console has, got ${echo(value)}.`,
  );
}
