import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from 'sequelize';
import { type TransactionOptions } from 'sequelize';
import type { Random } from '../random';
import type { App, Within } from './app';
import type { Queue } from './queue';
import { readersOf, type Reader } from './readers';
import { Noted, messageOf, type Recorder, type Scope } from './recorder';
import type { Row, Rows } from './rows';
import { TABLES, registersOf, type Family } from './schema';
import { writersOf, type Writer } from './writers';

/** Where statements go: the scope that they are recorded with, and the transaction of Sequelize. */
export interface Place extends Scope {
  readonly open?: OpenTransaction | undefined;
}

interface OpenTransaction {
  readonly handle: Transaction;
  readonly lossy: boolean;
  /** What it has written: versions that count from its commit on. */
  readonly writes: { readonly id: string; readonly done: () => void }[];
}

export interface TransactionPlan {
  readonly options?: TransactionOptions;
  /** Its commit does not wait for the disk. */
  readonly lossy?: boolean;
  readonly fate: 'commit' | 'rollback';
}

/** What the clients of one process have in common. */
export interface Shared {
  readonly queue: Queue;
  readonly busy: Set<string>;
  /** The time is over. */
  readonly over: AbortSignal;
}

/** One client: runs recorded calls on the application. */
export class Worker {
  constructor(
    readonly app: App,
    readonly recorder: Recorder,
    readonly rows: Rows,
    readonly random: Random,
    private readonly shared: Shared,
  ) {}

  /** Runs `job` in the context of a queue that knows no operation. */
  queue(job: () => Promise<void>): Promise<void> {
    return this.shared.queue.run(job);
  }

  /** Runs `work` unless somebody in this process is at such work already. */
  async alone(name: string, work: () => Promise<void>): Promise<void> {
    const { busy } = this.shared;
    if (busy.has(name)) return;
    busy.add(name);
    try {
      await work();
    } finally {
      busy.delete(name);
    }
  }

  /** Waits for some time, but not beyond the end. */
  async pauseOrEnd(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.shared.over }).catch(() => undefined);
  }

  /** Takes a row, for as long as `work` runs, if one is free. A row with an unknown fate is not used again. */
  async withRow(
    family: Family,
    work: (row: Row) => Promise<unknown>,
    fits?: (row: Row) => boolean,
  ): Promise<void> {
    const row = this.rows.take(family, this.random, fits);
    if (!row) return;
    await work(row);
    this.rows.giveBack(row);
  }

  /** Gives a row its next version, in one of the ways there are. */
  async write(place: Place, row: Row, writer = this.random.pick(this.writersFor(place, row))) {
    const version = ++row.handedOut;
    const registers = registersOf(row.family, row.id);
    const away = writer.turns === 'away';
    const write = {
      ...{ what: writer.what, version, sets: away ? [] : registers, lossy: place.open?.lossy },
      ...(away && { removes: registers }),
    };
    const done = () => {
      row.committed = version;
      row.present = !away;
    };
    const call = () => writer.run(this.app, row, version, within(place));
    await this.recorder.write(place, write, call, (id) => place.open?.writes.push({ id, done }));
    if (!place.open) done();
  }

  /** Reads what a row shows in one of its tables, or in all of them. */
  async readBack(place: Place, row: Row, times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      const reader = this.readerFor(place, this.random.pick(TABLES[row.family]));
      await this.read(place, reader, [row.id]);
    }
  }

  async read(place: Place, reader: Reader, ids: readonly number[]): Promise<void> {
    const of = ids.flatMap((id) => reader.tables.map((table) => `${table}/${id}`));
    await this.recorder.read(place, reader.what, of, () =>
      reader.run(this.app, ids, within(place)),
    );
  }

  readerFor(place: Place, table: string): Reader {
    return this.random.pick(this.readersFor(place, table));
  }

  /** The ways to read a table here. */
  readersFor(place: Place, table: string): Reader[] {
    const canLoad = this.app.loaders !== undefined && place.open === undefined;
    return readersOf(table).filter(({ loads }) => canLoad || loads !== true);
  }

  /**
   * Runs `work` in a transaction, and ends it as planned.
   *
   * @throws Noted when anything fails
   */
  async transaction(
    place: Scope,
    { options = {}, lossy = false, fate }: TransactionPlan,
    work: (place: Place) => Promise<void>,
  ): Promise<void> {
    const handle = await this.#begin(place, options, lossy);
    const open: OpenTransaction = { handle, lossy, writes: [] };
    const transaction = this.recorder.name('t');
    const end = (outcome: 'committed' | 'aborted' | 'unknown', error?: string) => {
      for (const { id, done } of open.writes) {
        this.recorder.settle(id, outcome, error);
        if (outcome === 'committed') done();
      }
    };
    try {
      await work({ ...place, transaction, open });
    } catch (error) {
      await handle.rollback().catch(() => undefined);
      // COMMIT was never sent, so nothing of it can ever be there.
      end('aborted', error instanceof Noted ? error.message : undefined);
      throw error;
    }
    try {
      await (fate === 'commit' ? handle.commit() : handle.rollback());
    } catch (error) {
      end(fate === 'commit' ? 'unknown' : 'aborted', messageOf(error));
      throw new Noted(messageOf(error));
    }
    end(fate === 'commit' ? 'committed' : 'aborted');
  }

  /** What can be done to a row here: steps of their own need a commit each. */
  writersFor(place: Place, row: Row): Writer[] {
    return writersOf(row).filter(({ inSteps }) => inSteps !== true || place.open === undefined);
  }

  async #begin(scope: Scope, options: TransactionOptions, lossy: boolean): Promise<Transaction> {
    let handle: Transaction | undefined;
    await this.recorder.read(scope, 'BEGIN', [], async () => {
      handle = await this.app.sequelize.transaction(options);
      if (lossy) {
        await this.app.sequelize.query('SET LOCAL synchronous_commit = off', {
          transaction: handle,
        });
      }
      return {};
    });
    if (!handle) throw new Noted('no transaction');
    return handle;
  }
}

function within({ open }: Place): Within {
  return open ? { transaction: open.handle } : {};
}
