import type { Transaction } from 'sequelize';
import { Cleared } from './cleared';
import type { KeyId } from './codec';
import type { Lane, LaneBounds } from './lane';
import type { ReadRows } from './read-rows';

export type Lanes<Value> = Map<string, Lane<Value>>;

/** The lanes of one definition in one operation, or outside all. */
export class House<Value> {
  /** Those that keep a cache. */
  readonly cached: Lanes<Value> = new Map();
  readonly #passing: Lanes<Value> = new Map();
  #inTransaction: WeakMap<Transaction, Lanes<Value>> | undefined;
  /** Rows that other loaders read, by the lane that there is none of yet. */
  #offers: Map<string, ReadRows[]> | undefined;
  #cleared: Cleared | undefined;

  lanes({ transaction, cached }: Pick<LaneBounds, 'transaction' | 'cached'>): Lanes<Value> {
    if (!transaction) return cached ? this.cached : this.#passing;
    this.#inTransaction ??= new WeakMap();
    let lanes = this.#inTransaction.get(transaction);
    if (!lanes) {
      lanes = new Map();
      this.#inTransaction.set(transaction, lanes);
    }
    return lanes;
  }

  /** Most operations never load what they were offered: a lane is made for those that do. */
  keepOffer(id: string, rows: ReadRows, isCurrent: (rows: ReadRows) => boolean): void {
    this.#offers ??= new Map();
    const others = this.#offers.get(id);
    // Nobody may ever look here: what a write has overtaken is not to pile up.
    this.#offers.set(id, others ? [...others.filter(isCurrent), rows] : [rows]);
  }

  takeOffers(id: string): readonly ReadRows[] | undefined {
    const offers = this.#offers?.get(id);
    if (offers) this.#offers?.delete(id);
    return offers;
  }

  noteCleared(key: KeyId | undefined): void {
    this.#cleared ??= new Cleared();
    this.#cleared.note(key);
  }

  clearedSince(asOf: number, key: KeyId): boolean {
    return this.#cleared?.since(asOf, key) === true;
  }
}
