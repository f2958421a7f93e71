import type { Operation, ReadToken } from './operation';

/** What the handles of one process, those whose tokens can travel, know of each other. */
export interface OpenSessions {
  /** The database behind the handle; `undefined` while that is not known. */
  readonly database: string | undefined;
  /** Whether a token was signed with one of the handle's secrets. */
  signed(token: string): boolean;
  /** Whether the operation, or one it follows, has written through the handle. */
  hasWritten(operation: Operation): boolean;
  /** Whether somebody sees to it that the handle's tokens travel. */
  isCarried(operation: Operation): boolean;
  warn(message: string, once: string): void;
}

// Weakly: an instance that nobody has closed may go all the same.
const all = new Set<WeakRef<OpenSessions>>();

/** @returns what takes it off the list again */
export function enlist(sessions: OpenSessions): () => void {
  const ref = new WeakRef(sessions);
  all.add(ref);
  return () => all.delete(ref);
}

function* others(than: OpenSessions): IterableIterator<OpenSessions> {
  for (const ref of all) {
    const sessions = ref.deref();
    if (!sessions) all.delete(ref);
    else if (sessions !== than) yield sessions;
  }
}

/** Whether a handle on another database than that of `own` reads this token. */
export function isReadElsewhere(token: string, own: OpenSessions): boolean {
  for (const other of others(own)) {
    if (own.database === undefined || other.database === undefined) continue;
    if (own.database !== other.database && other.signed(token)) return true;
  }
  return false;
}

/** Whether a token names the database of another handle. */
export function isOfOther(token: Pick<ReadToken, 'isOf'>, own: OpenSessions): boolean {
  for (const { database } of others(own)) {
    if (database !== undefined && token.isOf(database)) return true;
  }
  return false;
}

/** Warns the handles that `operation` has written through and whose tokens its response lacks. */
export function warnOfOthersLeftBehind(operation: Operation, own: OpenSessions): void {
  for (const other of others(own)) {
    if (!other.hasWritten(operation) || other.isCarried(operation)) continue;
    other.warn(
      'this handle has a sessionSecret and was written through, but the response carried the tokens of another handle only: ' +
        'the next request of the same client may miss the write. Each handle needs a freshReadsPlugin, useFreshReads or freshReadsMiddleware of its own.',
      'left-behind',
    );
  }
}
