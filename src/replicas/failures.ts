import { NoAnswerError } from './within';

/** What the failure of a read on a replica says. */
export interface FailureMeaning {
  /** The same read may succeed on another node, and nothing was done by the failed try. */
  readonly retryElsewhere: boolean;
  /**
   * `lost`: the connection is gone. `silent`: no answer in time. `answered`: the node is there, and
   * said no.
   */
  readonly node: 'lost' | 'silent' | 'answered';
}

const LOST: FailureMeaning = { retryElsewhere: true, node: 'lost' };
const SILENT: FailureMeaning = { retryElsewhere: true, node: 'silent' };
const REFUSED_HERE: FailureMeaning = { retryElsewhere: true, node: 'answered' };
const FINAL: FailureMeaning = { retryElsewhere: false, node: 'answered' };
/** The application's own limit (pg's `query_timeout`) ran out: no second try, but a bad sign. */
const OUT_OF_TIME: FailureMeaning = { retryElsewhere: false, node: 'silent' };

const byCode = new Map<string, FailureMeaning>([
  ...entries(SILENT, 'ETIMEDOUT'),
  ...entries(LOST, 'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'EHOSTUNREACH'),
  ...entries(LOST, 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'),
  // Ended by an administrator, by a crash of another process, shutting down or starting up, idle.
  ...entries(LOST, '57P01', '57P02', '57P03', '57P05'),
  // Cancelled because replay needed what the read was holding.
  ...entries(REFUSED_HERE, '40001', '40P01'),
  // What a standby can't do.
  ...entries(REFUSED_HERE, '25006', '55000', '0A000'),
  // A definition or a grant that has not arrived here yet.
  ...entries(REFUSED_HERE, '42P01', '42703', '42883', '42501', '22P02', '42704', '3F000'),
]);

/** Classes of SQLSTATE, by their first two characters. */
const byClass = new Map<string, FailureMeaning>([
  ['08', LOST],
  // Out of resources, trouble with its system, its own internal error: this node's, not the statement's.
  ...entries(REFUSED_HERE, '53', '58', 'XX'),
]);

const byMessage: readonly (readonly [RegExp, FailureMeaning])[] = [
  [/^timeout expired$/, SILENT],
  [/^Query read timeout$/, OUT_OF_TIME],
  [/^Connection terminated/, LOST],
  [/^Client (has encountered a connection error|was closed) and is not queryable$/, LOST],
  [/^socket hang up$|^This socket has been ended/, LOST],
];

/** For errors that were never given a code: a connection that did not come about. */
const byName = new Map<string, FailureMeaning>([
  ...entries(SILENT, 'SequelizeConnectionTimedOutError'),
  ...entries(LOST, 'SequelizeConnectionError', 'SequelizeConnectionRefusedError'),
  ...entries(LOST, 'SequelizeHostNotFoundError', 'SequelizeHostNotReachableError'),
]);

/**
 * What `error` says, thrown by a read on a replica or by a connect to one: bare, or wrapped (an
 * ORM's error with the driver's as `parent`, `original` or `cause`).
 *
 * `cancelled`: we asked the server to cancel the read. Only then a cancellation (57014) is no
 * concern of the caller; otherwise it is a `statement_timeout` or somebody's wish.
 */
export function meaningOf(error: unknown, { cancelled = false } = {}): FailureMeaning {
  const layers = layersOf(error);
  // The innermost error is the driver's own; what wraps it knows less.
  for (const { code } of [...layers].reverse()) {
    if (typeof code !== 'string') continue;
    if (code === '57014') return cancelled ? REFUSED_HERE : FINAL;
    const meaning = byCode.get(code) ?? (code.length === 5 ? byClass.get(code.slice(0, 2)) : FINAL);
    if (meaning) return meaning;
  }
  for (const layer of [...layers].reverse()) {
    if (layer instanceof NoAnswerError) return SILENT;
    const { message } = layer;
    const known = byMessage.find(([text]) => typeof message === 'string' && text.test(message));
    if (known) return known[1];
  }
  for (const { name } of layers) {
    const meaning = typeof name === 'string' ? byName.get(name) : undefined;
    if (meaning && !layers.some(hasSqlState)) return meaning;
  }
  return FINAL;
}

/** Whether a read that failed with `error` on a replica is worth a try on another node. */
export function isRetryableElsewhere(error: unknown, options?: { cancelled?: boolean }): boolean {
  return meaningOf(error, options).retryElsewhere;
}

/** Whether the server turned a connection away because it holds as many as it may. */
export function isFull(error: unknown): boolean {
  return layersOf(error).some(({ code }) => code === '53300');
}

interface Layer {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly parent?: unknown;
  readonly original?: unknown;
  readonly cause?: unknown;
}

const DEEPEST = 5;

function layersOf(error: unknown): Layer[] {
  const layers: Layer[] = [];
  let next = error;
  while (typeof next === 'object' && next !== null && layers.length < DEEPEST) {
    const layer: Layer = next;
    if (layers.includes(layer)) break;
    layers.push(layer);
    next = layer.parent ?? layer.original ?? layer.cause;
  }
  return layers;
}

function hasSqlState({ code }: Layer): boolean {
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
}

function entries(meaning: FailureMeaning, ...codes: string[]): [string, FailureMeaning][] {
  return codes.map((code) => [code, meaning]);
}
