import { alarm } from '../clock';
import { bounded, isRefusal } from './bounded';
import type { ProbeConnection } from './environment';
import type { Row } from './reading';

const OPEN_MS = 5000;
const CLOSE_MS = 1000;

/** How long a node may take to answer a question of a few microseconds before it counts as frozen. */
export const ANSWER_MS = 2000;

/** Between two questions while a read waits for what they tell, in milliseconds. */
export const HURRIED_GAP_MS = 2;

export interface Answer {
  readonly row: Row | undefined;
  readonly processId: number | null | undefined;
}

/** The dedicated connection of one node: opened when needed, kept, every step of it bounded in time. */
export class Probe {
  readonly #open: () => Promise<ProbeConnection>;
  readonly #onLost: () => void;
  #connection: ProbeConnection | undefined;
  #round = new AbortController();

  /** @param onLost called when an open connection ends by itself, or does not answer */
  constructor(open: () => Promise<ProbeConnection>, onLost: () => void) {
    this.#open = open;
    this.#onLost = onLost;
  }

  /** Makes sure that there is a connection. */
  async connect(): Promise<void> {
    if (this.#connection) return;
    const { signal } = this.#round;
    const connection = await bounded(this.#open(), { ms: OPEN_MS, signal, late: close });
    if (signal.aborted) {
      close(connection);
      throw new Error('given up');
    }
    this.#connection = connection;
    connection.onLost(() => this.#lose(connection));
  }

  /**
   * Asks one question over the open connection.
   *
   * @throws the server's error when it refuses; any other error means that the connection is gone
   */
  async ask(sql: string): Promise<Answer> {
    const connection = this.#connection;
    if (!connection) throw new Error('not connected');
    const { signal } = this.#round;
    try {
      const rows = await bounded(connection.query(sql), { ms: ANSWER_MS, signal });
      return { row: rows[0], processId: connection.processId };
    } catch (error) {
      if (!isRefusal(error)) this.#lose(connection);
      throw error;
    }
  }

  /** Gives the connection up, and whatever waits for it. The next {@link connect} opens another. */
  drop(): void {
    const connection = this.#forget();
    if (connection) close(connection);
  }

  /**
   * The same, with a last statement if there is a connection to send it on, and waits for the end of
   * it: a second or two at most, never rejects.
   */
  async end(lastSql?: string): Promise<void> {
    const connection = this.#forget();
    if (!connection) return;
    const bounds = { ms: CLOSE_MS, timer: alarm };
    if (lastSql !== undefined) {
      await bounded(connection.query(lastSql), bounds).catch(() => undefined);
    }
    await bounded(connection.close(), bounds).catch(() => undefined);
  }

  #lose(connection: ProbeConnection): void {
    if (this.#connection !== connection) return;
    this.drop();
    this.#onLost();
  }

  #forget(): ProbeConnection | undefined {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#round.abort();
    this.#round = new AbortController();
    return connection;
  }
}

function close(connection: ProbeConnection): void {
  connection.close().catch(() => undefined);
}
