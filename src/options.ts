import { OptionsError, echo } from './errors';

/** Trusts that no replica is further behind than `windowMs` (the classic p99.9 of the lag). */
export interface FixedFreshness {
  readonly mode: 'fixed';
  /** Milliseconds after a commit's acknowledgement. Default 1000. */
  readonly windowMs?: number;
}

/** Anything that logs like `console`. Only changes of state are logged, never each query. */
export interface Logger {
  warn(message: string): void;
}

/** Options of {@link freshReads}. Every one has a default; unknown ones throw an `OptionsError`. */
export interface FreshReadsOptions {
  /**
   * When a write has expired, so that reads of its tables may go to replicas again.
   *
   * Default `{ mode: 'fixed', windowMs: 1000 }`.
   */
  readonly freshness?: FixedFreshness;
  /**
   * Reads with no operation around them: `'process-history'` counts every live write of this
   * process, `'primary'` sends them all to the primary.
   *
   * Default `'process-history'`.
   */
  readonly outsideOperation?: 'process-history' | 'primary';
  /**
   * Reads of a mutation before its first write: `'track'` treats them like any other,
   * `'primary'` sends them to the primary.
   *
   * Default `'track'`.
   */
  readonly mutationReads?: 'track' | 'primary';
  /**
   * Tables (`'audit_logs'`, or `'schema.table'`) whose writes hold no read back. Loaders are still
   * cleared by them, and what their triggers write still counts.
   *
   * Default none.
   */
  readonly ignoreWrites?: readonly string[];
  /**
   * What a write of a table also changes, where the database can't tell (a trigger that builds its
   * SQL at run time): `{ orders: ['order_totals'] }`. Replaces "everything" for that table.
   *
   * Default none.
   */
  readonly relatedTables?: Readonly<Record<string, readonly string[]>>;
  /**
   * Raw SQL without a query type, which Sequelize sends to the primary: `'route'` lets it use a
   * replica when its text proves it a read, `'primary'` leaves it there.
   *
   * Default `'route'`.
   */
  readonly rawReads?: 'route' | 'primary';
  /**
   * `'observe'` decides and reports, and leaves every statement where Sequelize sends it.
   *
   * Default `'enforce'`.
   */
  readonly routing?: 'enforce' | 'observe';
  /** Where warnings go. Default: nowhere (they are in `status().warnings` all the same). */
  readonly logger?: Logger;
}

export interface ResolvedOptions {
  readonly freshness: { readonly mode: 'fixed'; readonly windowMs: number };
  readonly outsideOperation: 'process-history' | 'primary';
  readonly mutationReads: 'track' | 'primary';
  readonly ignoreWrites: readonly string[];
  readonly relatedTables: Readonly<Record<string, readonly string[]>>;
  readonly rawReads: 'route' | 'primary';
  readonly routing: 'enforce' | 'observe';
  readonly logger: Logger | undefined;
}

type Validators = {
  readonly [Name in keyof ResolvedOptions]: (value: unknown) => ResolvedOptions[Name];
};

const validators: Validators = {
  freshness: freshness,
  outsideOperation: oneOf('outsideOperation', ['process-history', 'primary']),
  mutationReads: oneOf('mutationReads', ['track', 'primary']),
  ignoreWrites: (value) => tableNames('ignoreWrites', value ?? []),
  relatedTables,
  rawReads: oneOf('rawReads', ['route', 'primary']),
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

/** @throws OptionsError naming the nearest known key. */
export function rejectUnknownKeys(
  where: string,
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const near = nearest(key, known);
    throw new OptionsError(
      `${where}: unknown option ${echo(key)}` +
        (near ? `; did you mean "${near}"?` : `; the options are ${known.join(', ')}.`),
    );
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function oneOf<const Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]) {
  return (value: unknown): Choice => {
    if (value === undefined) return choices[0];
    if ((choices as readonly unknown[]).includes(value)) return value as Choice;
    const list = choices.map((choice) => `'${choice}'`).join(' or ');
    throw new OptionsError(`${name} must be ${list}, got ${echo(value)}.`);
  };
}

function freshness(value: unknown): ResolvedOptions['freshness'] {
  if (value === undefined) return { mode: 'fixed', windowMs: 1000 };
  if (!isRecord(value)) {
    throw new OptionsError(
      `freshness must be an object such as { mode: 'fixed', windowMs: 1000 }, got ${echo(value)}.`,
    );
  }
  if (value['mode'] !== 'fixed') {
    throw new OptionsError(`freshness.mode must be 'fixed', got ${echo(value['mode'])}.`);
  }
  rejectUnknownKeys('freshness', value, ['mode', 'windowMs']);
  return { mode: 'fixed', windowMs: durationMs('freshness.windowMs', value['windowMs'] ?? 1000) };
}

function durationMs(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new OptionsError(
    `${name} must be a number of milliseconds, zero or more, got ${echo(value)}.`,
  );
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

function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitute));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
