import DataLoader from 'dataloader';
import {
  logicalTime,
  runInExactFrame,
  type Frame,
  type Ledger,
  type Operation,
} from '../operation';
import type { LoaderDefinition, LoaderKey } from './types';

// When the row behind a value was read: `prime` must not bring back what a write has overtaken.
const readAt = new WeakMap<object, number>();

/** The node that `usePrimary` or `useReplica` asks for. */
export type Wish = 'primary' | 'replica' | undefined;

/** The DataLoader of one definition in one operation, for the loads that ask for the same node. */
export class OperationLoader<Value> {
  readonly #definition: LoaderDefinition<never, Value>;
  readonly #ledger: Ledger;
  readonly #operation: Operation | undefined;
  readonly #wish: Wish;
  readonly #loader: DataLoader<LoaderKey, Value, string>;
  readonly #tables = new Set<string>();
  /** A batch read what nobody knows, or none has run yet: then any write clears. */
  #tablesKnown = false;
  #tablesUnknown = false;
  /** Everything cached was read at or after this logical time. */
  #asOf = logicalTime();
  #resolvers = new Set<string>();

  constructor(
    definition: LoaderDefinition<never, Value>,
    ledger: Ledger,
    operation: Operation | undefined,
    wish: Wish,
  ) {
    this.#definition = definition;
    this.#ledger = ledger;
    this.#operation = operation;
    this.#wish = wish;
    this.#loader = new DataLoader<LoaderKey, Value, string>((keys) => this.#batch(keys), {
      name: definition.label,
      cache: operation !== undefined,
      cacheKeyFn: (key) => definition.identity(key),
    });
  }

  load(key: LoaderKey, resolver: string | undefined): Promise<Value> {
    this.#forgetThePast();
    // A batch runs in the context of whichever load came first, so each key leaves its name here.
    if (resolver !== undefined) this.#resolvers.add(resolver);
    return this.#loader.load(key);
  }

  clear(key: LoaderKey): void {
    this.#loader.clear(key);
  }

  clearAll(): void {
    this.#loader.clearAll();
    this.#asOf = logicalTime();
  }

  prime(key: LoaderKey, value: Value): void {
    this.#forgetThePast();
    const readTime = isObject(value) ? readAt.get(value) : undefined;
    if (readTime !== undefined && this.#touchedSince(readTime)) return;
    this.#loader.prime(key, value);
  }

  /** A write to a table of ours ends all that was read before it, also what is still on its way. */
  #forgetThePast(): void {
    if (this.#operation && this.#touchedSince(this.#asOf)) this.clearAll();
  }

  #touchedSince(time: number): boolean {
    if (!this.#operation) return true;
    const known = this.#tablesKnown && !this.#tablesUnknown;
    return this.#ledger.touchedSince(time, known ? [...this.#tables] : undefined, this.#operation);
  }

  async #batch(keys: readonly LoaderKey[]): Promise<readonly (Value | Error)[]> {
    const resolvers = [...this.#resolvers];
    this.#resolvers = new Set();
    const dispatchedAt = logicalTime();
    const frame: Frame = {
      operation: this.#operation,
      resolver: resolvers[0],
      batch: { resolvers, onRead: (tables) => this.#learn(tables) },
      asked: this.#wish && { target: this.#wish, active: true },
      feedsWrite: false,
    };
    const values = await runInExactFrame(frame, () => this.#definition.load(keys));
    for (const value of values) noteReadTime(value, dispatchedAt);
    return values;
  }

  #learn(tables: readonly string[] | undefined): void {
    this.#tablesKnown = true;
    if (!tables) this.#tablesUnknown = true;
    else for (const table of tables) this.#tables.add(table);
  }
}

function noteReadTime(value: unknown, time: number): void {
  if (Array.isArray(value)) for (const item of value) noteReadTime(item, time);
  else if (isObject(value)) readAt.set(value, time);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
