import DataLoader from 'dataloader';
import {
  logicalTime,
  runInExactFrame,
  type Asked,
  type Frame,
  type Ledger,
  type Operation,
} from '../operation';
import type { LoaderDefinition, LoaderKey } from './types';

// When the row behind a value was read: `prime` must not bring back what a write has overtaken.
const readAt = new WeakMap<object, number>();

/** The DataLoader of one definition in one operation. */
export class OperationLoader<Value> {
  readonly #definition: LoaderDefinition<never, Value>;
  readonly #ledger: Ledger;
  readonly #operation: Operation | undefined;
  readonly #loader: DataLoader<LoaderKey, Value, string>;
  readonly #tables = new Set<string>();
  /** A batch read what nobody knows, or none has run yet: then any write clears. */
  #tablesKnown = false;
  #tablesUnknown = false;
  /** Everything cached was read at or after this logical time. */
  #asOf = logicalTime();
  #resolvers = new Set<string>();
  #askedPrimary = false;
  #askedReplica = true;

  constructor(
    definition: LoaderDefinition<never, Value>,
    ledger: Ledger,
    operation: Operation | undefined,
  ) {
    this.#definition = definition;
    this.#ledger = ledger;
    this.#operation = operation;
    this.#loader = new DataLoader<LoaderKey, Value, string>((keys) => this.#batch(keys), {
      name: definition.label,
      cache: operation !== undefined,
      cacheKeyFn: (key) => definition.identity(key),
    });
  }

  load(key: LoaderKey, frame: Frame): Promise<Value> {
    this.#forgetThePast();
    // A batch runs in the context of whichever load came first, so each key leaves its name here.
    if (frame.resolver !== undefined) this.#resolvers.add(frame.resolver);
    const wish = frame.asked?.active ? frame.asked.target : undefined;
    this.#askedPrimary ||= wish === 'primary';
    this.#askedReplica &&= wish === 'replica';
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
    const asked = this.#takeWish();
    this.#resolvers = new Set();
    const dispatchedAt = logicalTime();
    const frame: Frame = {
      operation: this.#operation,
      resolver: resolvers[0],
      batch: { resolvers, onRead: (tables) => this.#learn(tables) },
      asked,
      feedsWrite: false,
    };
    const values = await runInExactFrame(frame, () => this.#definition.load(keys));
    for (const value of values) noteReadTime(value, dispatchedAt);
    return values;
  }

  /** The strongest wish among the keys: the primary if one asked for it, a replica if all did. */
  #takeWish(): Asked | undefined {
    const target = this.#askedPrimary ? 'primary' : this.#askedReplica ? 'replica' : undefined;
    this.#askedPrimary = false;
    this.#askedReplica = true;
    return target && { target, active: true };
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
