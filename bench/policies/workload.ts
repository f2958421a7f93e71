/** What one statement does. `key` counts only for a row. */
export interface Step {
  /** A row by its key; the caller's newest rows of a table; a change of a row; a new row of the caller. */
  readonly kind: 'row' | 'list' | 'update' | 'insert';
  /** Index into the workload's tables. */
  readonly table: number;
  readonly key: number;
}

/** Steps that are sent at the same time, as the resolvers on one level of a GraphQL query are. */
export type Wave = readonly Step[];

export interface RecordedOperation {
  readonly kind: 'query' | 'mutation';
  readonly user: number;
  /** Milliseconds after the start; with `after`: when its user is expected to send it. */
  readonly at: number;
  /** Sent `delay` milliseconds after the response to the operation with this index. */
  readonly after?: { readonly operation: number; readonly delay: number };
  readonly waves: readonly Wave[];
}

/** A replica stops replaying `at` milliseconds after the start, for `ms`. */
export interface Stall {
  readonly replica: number;
  readonly at: number;
  readonly ms: number;
}

export interface Workload {
  readonly seed: number;
  readonly seconds: number;
  readonly users: number;
  /** Rows of each table at the start. */
  readonly rows: number;
  readonly tables: readonly string[];
  /** How long every replica holds each commit back, in milliseconds. */
  readonly lagMs: number;
  readonly stalls: readonly Stall[];
  /** In the order of their times. */
  readonly operations: readonly RecordedOperation[];
}

const LETTERS = { row: 'r', list: 'l', update: 'u', insert: 'i' } as const;
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter, kind]));

/** One line for everything but the operations, then one for each of these. */
export function format({ operations, ...head }: Workload): string {
  const lines = operations.map(({ kind, user, at, after, waves }) =>
    JSON.stringify({
      at,
      ...(after && { after: after.operation, delay: after.delay }),
      user,
      kind,
      steps: waves.map((wave) => wave.map(formatStep).join(' ')).join(' | '),
    }),
  );
  return [JSON.stringify(head), ...lines, ''].join('\n');
}

/** @throws Error for a step that is none */
export function parse(text: string): Workload {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const operations = lines.map((line, index): RecordedOperation => {
    const recorded = JSON.parse(line) as Recorded;
    const { at, user, kind, after, delay } = recorded;
    const waves = recorded.steps
      .split(' | ')
      .map((wave) => wave.split(' ').map((step) => parseStep(step, index + 2)));
    if (after === undefined) return { at, user, kind, waves };
    return { at, user, kind, after: { operation: after, delay: delay ?? 0 }, waves };
  });
  return { ...(JSON.parse(head) as Omit<Workload, 'operations'>), operations };
}

/** The part of it that begins within the first `seconds`. */
export function firstSeconds(workload: Workload, seconds: number): Workload {
  const within = ({ at }: { readonly at: number }) => at < seconds * 1000;
  // The first ones in order of time, so that what others follow keeps its index.
  const operations = workload.operations.filter(within);
  return { ...workload, seconds, stalls: workload.stalls.filter(within), operations };
}

interface Recorded {
  readonly at: number;
  readonly after?: number;
  readonly delay?: number;
  readonly user: number;
  readonly kind: 'query' | 'mutation';
  readonly steps: string;
}

function formatStep({ kind, table, key }: Step): string {
  const keyed = kind === 'row' || kind === 'update';
  return `${LETTERS[kind]}${table}${keyed ? `.${key}` : ''}`;
}

function parseStep(text: string, line: number): Step {
  const [, letter = '', table, key] = /^([rlui])(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const kind = KINDS.get(letter as never) as Step['kind'] | undefined;
  if (kind === undefined) {
    throw new Error(
      `line ${line} of the workload has the step ${JSON.stringify(text)}; ` +
        'steps look like r4.17, l4, u4.17 or i4',
    );
  }
  return { kind, table: Number(table), key: Number(key ?? 0) };
}
