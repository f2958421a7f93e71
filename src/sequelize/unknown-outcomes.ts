import type { CatalogQuery } from '../catalog';
import { later } from '../clock';
import type { OpenWrite } from '../operation';
import type { Pending, UnknownHandler } from './open-writes';

const FIRST_LOOK_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/**
 * Writes whose outcome nobody saw (connection lost, client time-out). The server may still be at
 * work on them and commit later, so they stay in flight until its process is gone from
 * pg_stat_activity (where any role sees process ids); then they count as committed at that moment.
 * The same for the writes of a prepared transaction, and pg_prepared_xacts.
 */
export class UnknownOutcomes {
  readonly #query: CatalogQuery;
  readonly #timers = new Set<{ cancel(): void }>();
  #closed = false;

  constructor(query: CatalogQuery) {
    this.#query = query;
  }

  readonly take: UnknownHandler = (write, pending) => {
    write.lose();
    if (!this.#closed) this.#look(write, pending, FIRST_LOOK_MS);
  };

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #look(write: OpenWrite, pending: Pending, pauseMs: number): void {
    const timer = later(pauseMs, () => {
      this.#timers.delete(timer);
      this.#isGone(pending).then(
        (gone) => {
          if (gone) write.commit();
          else this.#again(write, pending, pauseMs);
        },
        // The primary does not answer: it may come back with the write committed.
        () => this.#again(write, pending, pauseMs),
      );
    });
    this.#timers.add(timer);
  }

  #again(write: OpenWrite, pending: Pending, pauseMs: number): void {
    if (!this.#closed) this.#look(write, pending, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
  }

  async #isGone(pending: Pending): Promise<boolean> {
    const rows = await this.#query(
      pending.kind === 'process'
        ? // Without a process id any answer of the primary is all there is to have.
          `SELECT pid FROM pg_catalog.pg_stat_activity WHERE pid = ${pending.id ?? 0}`
        : 'SELECT gid FROM pg_catalog.pg_prepared_xacts',
    );
    if (pending.kind === 'process' || pending.id === undefined) return rows.length === 0;
    return !rows.some((row) => row['gid'] === pending.id);
  }
}
