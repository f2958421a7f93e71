import type { OpenWrite } from '../operation';
import type { Connection } from './internals';

/**
 * How a statement ended, as far as its writes are concerned. `conflict`: refused because of what
 * somebody else has written, so that the caller knows of that now.
 */
export type Outcome = 'ok' | 'refused' | 'conflict' | 'unknown' | 'unsent';

/**
 * What has to be gone from the server before the outcome is certain: the process that may still be
 * at work on it, or the prepared transaction (any, when its identifier was not seen).
 */
export type Pending =
  | { readonly kind: 'process'; readonly id: number | undefined }
  | { readonly kind: 'prepared'; readonly id: string | undefined };

/** Takes over a write that no longer belongs to a connection: nobody here will see its outcome. */
export type UnknownHandler = (write: OpenWrite, pending: Pending) => void;

interface Tracked {
  readonly write: OpenWrite;
  /** A ROLLBACK undoes all that it stands for. */
  droppable: boolean;
  readonly onUnknown: UnknownHandler;
}

// One map for the process, not one a handle: under useCLS a statement of one instance runs on the
// connection of another, and only that other one sends the COMMIT.
const byConnection = new WeakMap<Connection, ConnectionWrites>();

/** The writes that are open on `connection`. */
export function writesOn(connection: Connection): ConnectionWrites {
  let writes = byConnection.get(connection);
  if (!writes) {
    writes = new ConnectionWrites(connection);
    byConnection.set(connection, writes);
  }
  return writes;
}

/**
 * Follows the writes of one connection to their end, on the wire: a commit counts whoever sent it
 * (Sequelize, raw SQL, another instance), and a COMMIT that was in truth a ROLLBACK is seen as one.
 *
 * ReadyForQuery carries the transaction status (I idle, T in a transaction, E in a failed one), and
 * CommandComplete the command that really ran: PostgreSQL manual, "Message Formats".
 */
export class ConnectionWrites {
  readonly #connection: Connection;
  readonly #open = new Set<Tracked>();
  /** Over for the client, but not yet for the server. */
  readonly #refused = new Set<Tracked>();
  #tags: string[] = [];
  #status: string | undefined;
  #awaitingReady = false;
  #preparing: string | undefined;
  #ended = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    const wire = connection.connection;
    wire.on('commandComplete', (message: { text?: string }) => {
      if (this.#open.size > 0) this.#tags.push(message.text ?? '');
    });
    wire.on('errorMessage', () => {
      this.#awaitingReady = true;
    });
    wire.on('readyForQuery', (message: { status?: string }) => this.#ready(message.status));
    connection.once('end', () => this.#lost());
  }

  /**
   * A statement that writes is about to be sent. `single`: one statement, not several in one text,
   * of which a ROLLBACK may undo only some.
   */
  add(write: OpenWrite, single: boolean, onUnknown: UnknownHandler): (outcome: Outcome) => void {
    const tracked = { write, droppable: single, onUnknown };
    this.#open.add(tracked);
    return (outcome) => this.#done(tracked, outcome);
  }

  /** PREPARE TRANSACTION with this identifier is about to be sent. */
  prepares(id: string | undefined): void {
    this.#preparing = id;
  }

  #done(tracked: Tracked, outcome: Outcome): void {
    if (!this.#open.has(tracked)) return;
    if (outcome === 'unsent') this.#end(tracked, 'drop');
    else if (outcome === 'unknown') this.#unanswered(tracked);
    else {
      // Its rollback does not undo what the other one has written.
      if (outcome === 'conflict') tracked.droppable = false;
      // After an error the status is that of the statement before, until the server is ready again.
      if (outcome !== 'ok' && this.#awaitingReady) this.#refused.add(tracked);
      else this.#settle(tracked);
    }
  }

  /**
   * The client gave up, or could not even send it. Whatever the server makes of it is over when it is
   * ready for the next statement; a connection that ends before that leaves only its process to ask.
   */
  #unanswered(tracked: Tracked): void {
    if (this.#ended) this.#hand(tracked, this.#process());
    else this.#refused.add(tracked);
  }

  #settle(tracked: Tracked): void {
    // A refused statement counts as a commit too: its error may have told the caller of a row that
    // somebody else committed a moment ago (a unique violation does).
    if (this.#status === 'T' || this.#status === 'E') tracked.write.hold();
    else this.#end(tracked, 'commit');
  }

  #ready(status: string | undefined): void {
    this.#status = status;
    this.#awaitingReady = false;
    if (this.#open.size === 0) return;
    const tags = this.#tags;
    this.#tags = [];
    // A COMMIT that opens the next transaction at once (AND CHAIN) does not show in the status.
    if (status === 'I' || tags.includes('COMMIT')) this.#transactionEnded(tags);
    for (const tracked of this.#refused) this.#settle(tracked);
    this.#refused.clear();
  }

  #transactionEnded(tags: readonly string[]): void {
    const rolledBack = tags.length === 1 && tags[0] === 'ROLLBACK';
    const prepared = tags.includes('PREPARE TRANSACTION');
    for (const tracked of this.#open) {
      if (tracked.write.state !== 'uncommitted') continue;
      // Status I here, but nothing is committed before COMMIT PREPARED, wherever that is sent.
      if (prepared) this.#hand(tracked, { kind: 'prepared', id: this.#preparing });
      else this.#end(tracked, rolledBack && tracked.droppable ? 'drop' : 'commit');
    }
  }

  #lost(): void {
    this.#ended = true;
    for (const tracked of this.#open) this.#hand(tracked, this.#process());
  }

  #process(): Pending {
    return { kind: 'process', id: this.#connection.processID ?? undefined };
  }

  #hand(tracked: Tracked, pending: Pending): void {
    this.#forget(tracked);
    tracked.onUnknown(tracked.write, pending);
  }

  #end(tracked: Tracked, how: 'commit' | 'drop'): void {
    this.#forget(tracked);
    if (how === 'commit') tracked.write.commit();
    else tracked.write.drop();
  }

  #forget(tracked: Tracked): void {
    this.#open.delete(tracked);
    this.#refused.delete(tracked);
  }
}

/** Tells a server's refusal from a failure of the connection: only the former is an answer. */
export function outcomeOf(error: unknown): Outcome {
  const cause = (error as { parent?: unknown }).parent ?? error;
  const { code, severity } = cause as { code?: unknown; severity?: unknown };
  if (typeof code !== 'string' || typeof severity !== 'string') return 'unknown';
  // Class 57P (server shutting down, backend terminated) and 08 end the connection in mid-air.
  if (code.startsWith('57P') || code.startsWith('08')) return 'unknown';
  // Class 23, violated constraints, and class 40, serialization failures, speak of others' rows.
  return code.startsWith('23') || code.startsWith('40') ? 'conflict' : 'refused';
}
