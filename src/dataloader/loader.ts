import type { Sequelize, Transaction } from 'sequelize';
import { OptionsError, echo } from '../errors';
import type { HandleParts } from '../fresh-reads';
import { currentFrame, type Frame, type Operation } from '../operation';
import { House } from './house';
import { identified } from './identity';
import { Lane, type LaneBounds, type LaneHost, type Wish } from './lane';
import { isCurrent, type ReadRows } from './read-rows';
import { ambientTransaction, assertTransaction, namespaceOf, type Namespace } from './transactions';
import type { Loader, LoaderDefinition, LoadKey } from './types';

/** Everything but the key that a call says. */
interface Binding {
  readonly args: unknown;
  /** Equal for equal arguments. */
  readonly argsId: string;
  /** `undefined`: the option's or the ambient one. */
  readonly transaction: Transaction | null | undefined;
}

const NO_WISH: Wish = { asked: undefined, freshness: undefined };
const UNBOUND: Binding = { args: undefined, argsId: '', transaction: undefined };

/** The lane of one load, and all that it was found by. */
interface Found<Value> {
  readonly operation: Operation | undefined;
  readonly asked: Wish['asked'];
  readonly freshness: Wish['freshness'];
  readonly transaction: Transaction | null;
  readonly namespace: Namespace | undefined;
  readonly binding: Binding;
  readonly lane: Lane<Value>;
}

/** One definition on one handle: finds the lane that a call belongs to. */
export class LoaderCore<Value> {
  readonly definition: LoaderDefinition<never, Value, never>;
  readonly #parts: HandleParts;
  readonly #sequelize: Sequelize;
  readonly #outside = new House<Value>();
  #lookedAtDeclared = false;
  #wantsRows: readonly LoaderCore<unknown>[] = [];
  /** Of the load before: that of the next key is mostly the same. */
  #last: Found<Value> | undefined;
  readonly #forgetLast = (): void => {
    this.#last = undefined;
  };

  constructor(definition: LoaderDefinition<never, Value, never>, parts: HandleParts) {
    this.definition = definition;
    this.#parts = parts;
    this.#sequelize = definition.sequelize ?? parts.sequelize;
  }

  /** The loaders whose keys the rows of this one answer. */
  feeds(others: readonly LoaderCore<unknown>[]): void {
    this.#wantsRows = others;
  }

  /** The lane for a call made in `frame`. */
  lane(frame: Frame, binding: Binding): Lane<Value> {
    const { operation, freshness } = frame;
    const asked = frame.asked?.active ? frame.asked.target : undefined;
    const last = this.#last;
    // Nobody turns CLS on between two loads of a turn, and the class of Sequelize is slow to look into.
    const namespace = last ? last.namespace : namespaceOf(this.#sequelize);
    const transaction = this.#transactionOf(binding, namespace);
    if (
      last?.operation === operation &&
      last?.binding === binding &&
      last.transaction === transaction &&
      last.asked === asked &&
      last.freshness === freshness
    ) {
      return last.lane;
    }
    const wish = asked || freshness ? { asked, freshness } : NO_WISH;
    const lane = this.#laneFor(operation, wish, transaction, binding);
    // Not longer than the loads of one turn: it would keep the operation alive.
    if (!last) process.nextTick(this.#forgetLast);
    this.#last = { operation, asked, freshness, transaction, namespace, binding, lane };
    return lane;
  }

  /** Forgets one key or all of them in `operation`, for some arguments or for all. */
  clear(operation: Operation | undefined, argsId: string | undefined, key?: LoadKey): void {
    const house = this.#house(operation);
    if (operation && this.definition.rows?.idOf) house.noteCleared(key?.id);
    for (const [id, lane] of house.cached) {
      if (argsId !== undefined && id.slice(id.indexOf('|') + 1) !== argsId) continue;
      if (key) lane.clear(key);
      else lane.clearAll();
    }
  }

  /** Takes rows that another loader read, outside transactions, for the loads that share its bounds. */
  takeOffer(bounds: LaneBounds, rows: ReadRows): void {
    const { operation, wish } = bounds;
    const house = this.#house(operation);
    const id = laneId(wish, UNBOUND.argsId);
    const lane = house.cached.get(id);
    if (lane) lane.offer(rows);
    else house.keepOffer(id, rows, (kept) => isCurrent(this.#parts.ledger, operation, kept));
  }

  #laneFor(
    operation: Operation | undefined,
    wish: Wish,
    transaction: Transaction | null,
    { args, argsId }: Binding,
  ): Lane<Value> {
    const house = this.#house(operation);
    const cached = this.#keeps(operation, transaction);
    const lanes = house.lanes({ transaction, cached });
    const id = laneId(wish, argsId);
    let lane = lanes.get(id);
    if (!lane) {
      const bounds = { operation, wish, transaction, args, cached };
      lane = new Lane(this.definition, this.#hostOf(house, id, bounds), bounds);
      lanes.set(id, lane);
      const offers = cached ? house.takeOffers(id) : undefined;
      if (offers) for (const rows of offers) lane.offer(rows);
    }
    return lane;
  }

  /**
   * What is read inside a transaction may be undone; outside an operation nobody ends the cache, nor
   * in what an operation left running; and a closed handle hears of no write.
   */
  #keeps(operation: Operation | undefined, transaction: Transaction | null): boolean {
    return operation?.ended === false && transaction === null && !this.#parts.closed;
  }

  #hostOf(house: House<Value>, id: string, bounds: LaneBounds): LaneHost {
    const lanes = house.lanes(bounds);
    return {
      ledger: this.#parts.ledger,
      declaredTables: () => this.#declaredTables(),
      dispatched: (lane) => {
        this.#forgetLast();
        this.#lookAtDeclared();
        if (!bounds.cached && lanes.get(id) === lane) lanes.delete(id);
      },
      clearedSince: (asOf, key) => house.clearedSince(asOf, key),
      offer: (from, rows) => {
        for (const other of this.#wantsRows) other.takeOffer(from, rows);
      },
    };
  }

  /** A name that is wrong does no harm, but makes the loader forget at every write. */
  #lookAtDeclared(): void {
    const { label, reads } = this.definition;
    if (!reads || this.#lookedAtDeclared) return;
    this.#lookedAtDeclared = this.#parts.warnOfMissing(label, reads);
  }

  #declaredTables(): readonly string[] | undefined {
    const found = (this.definition.reads ?? []).map((table) => this.#parts.tablesRead(table));
    return found.every((tables) => tables !== undefined) ? found.flat() : undefined;
  }

  #house(operation: Operation | undefined): House<Value> {
    return operation ? operation.state(this, () => new House<Value>()) : this.#outside;
  }

  #transactionOf({ transaction }: Binding, namespace: Namespace | undefined): Transaction | null {
    if (transaction !== undefined) return transaction;
    const { transaction: option } = this.definition;
    if (typeof option !== 'function') return option ?? ambientTransaction(namespace);
    const given = option();
    assertTransaction(
      `${this.definition.label}: the function given as transaction must give`,
      given,
    );
    return given === undefined ? ambientTransaction(namespace) : given;
  }
}

function laneId(wish: Wish, argsId: string): string {
  // Nearly every load is this one.
  if (wish === NO_WISH && argsId === '') return '|';
  const { asked = '', freshness } = wish;
  const { read = '', maxLagMs = '' } = freshness ?? {};
  return wish === NO_WISH ? `|${argsId}` : `${asked} ${read} ${maxLagMs}|${argsId}`;
}

/** What `createLoaders` hands out, and what `with` and `within` make of it. */
export class BoundLoader<Input, Value, Args> implements Loader<Input, Value> {
  readonly #core: LoaderCore<Value>;
  readonly #definition: LoaderDefinition<Input, Value, Args>;
  readonly #binding: Binding;

  constructor(
    core: LoaderCore<Value>,
    definition: LoaderDefinition<Input, Value, Args>,
    binding: Binding = UNBOUND,
  ) {
    this.#core = core;
    this.#definition = definition;
    this.#binding = binding;
  }

  with(args: Args): Loader<Input, Value> {
    const { label, takesArgs } = this.#definition;
    if (!takesArgs) {
      throw new OptionsError(
        `${label}: with(arguments) is for loaders whose where, order, limit or offset is a function of them, and of batch.`,
      );
    }
    if (args === undefined) {
      return new BoundLoader(this.#core, this.#definition, { ...this.#binding, args, argsId: '' });
    }
    const { id: argsId, copy } = identified(`${label}: what with() takes`, args);
    return new BoundLoader(this.#core, this.#definition, { ...this.#binding, args: copy, argsId });
  }

  within(transaction: Transaction | null): Loader<Input, Value> {
    assertTransaction(`${this.#definition.label}: within(transaction) takes`, transaction);
    return new BoundLoader(this.#core, this.#definition, { ...this.#binding, transaction });
  }

  load(input: Input): Promise<Value> {
    try {
      const key = this.#definition.keyOf(input);
      if (key === undefined) return Promise.resolve(this.#definition.missing());
      const frame = currentFrame();
      return this.#core.lane(frame, this.#binding).load(key, frame);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  loadMany(inputs: readonly Input[]): Promise<(Value | Error)[]> {
    if (!Array.isArray(inputs)) {
      throw new OptionsError(
        `${this.#definition.label}: loadMany takes an array of keys, got ${echo(inputs)}.`,
      );
    }
    return Promise.all(
      inputs.map((input: Input) =>
        this.load(input).catch((error: unknown) =>
          error instanceof Error ? error : new Error(String(error)),
        ),
      ),
    );
  }

  clear(input: Input): this {
    const key = this.#definition.keyOf(input);
    if (key === undefined) return this;
    this.#core.clear(currentFrame().operation, this.#binding.argsId, key);
    return this;
  }

  clearAll(): this {
    const argsId = this.#binding === UNBOUND ? undefined : this.#binding.argsId;
    this.#core.clear(currentFrame().operation, argsId);
    return this;
  }

  prime(input: Input, value: Value): this {
    const key: LoadKey | undefined = this.#definition.keyOf(input);
    if (key !== undefined) this.#core.lane(currentFrame(), this.#binding).prime(key, value);
    return this;
  }
}
