import { OptionsError, echo } from '../errors';
import { partsOf } from '../fresh-reads';
import type { FreshReads } from '../handle';
import { currentFrame, type Frame, type Ledger } from '../operation';
import { isRecord } from '../options';
import { OperationLoader, type Wish } from './operation-loader';
import type { Loader, LoaderDefinition } from './types';

/** The loaders that {@link createLoaders} makes of its definitions, by the same names. */
export type Loaders<Definitions> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends LoaderDefinition<
    infer Input,
    infer Value
  >
    ? Loader<Input, Value>
    : never;
};

/**
 * Makes loaders, once and for all operations: each call finds the DataLoader of the operation it is
 * made in. Outside any operation loads are batched within the tick and never cached.
 *
 * A batch is one query; where it goes is decided when it is sent, for all its keys. A write to a
 * table that a loader reads clears that loader.
 *
 * ```ts
 * const loaders = createLoaders(reads, { user: byKey(User), postsOfUser: hasMany(User.associations.posts) });
 * await loaders.user.load(1);
 * ```
 *
 * @throws OptionsError when `reads` is no handle or a value is no definition
 */
export function createLoaders<
  const Definitions extends Readonly<Record<string, LoaderDefinition<never, unknown>>>,
>(reads: FreshReads, definitions: Definitions): Loaders<Definitions> {
  const { ledger } = partsOf(reads, 'createLoaders');
  if (!isRecord(definitions)) {
    throw new OptionsError(
      `createLoaders(reads, definitions): definitions must be an object such as { user: byKey(User) }, got ${echo(definitions)}.`,
    );
  }
  const loaders = Object.entries(definitions).map(([name, definition]) => {
    if (!isDefinition(definition)) {
      throw new OptionsError(
        `createLoaders: ${echo(name)} must be made by byKey, hasMany or belongsTo, got ${echo(definition)}.`,
      );
    }
    return [name, new DefinedLoader(definition, ledger)];
  });
  return Object.freeze(Object.fromEntries(loaders)) as Loaders<Definitions>;
}

class DefinedLoader<Input, Value> implements Loader<Input, Value> {
  readonly #definition: LoaderDefinition<Input, Value>;
  readonly #ledger: Ledger;
  readonly #outside = new Map<Wish, OperationLoader<Value>>();

  constructor(definition: LoaderDefinition<Input, Value>, ledger: Ledger) {
    this.#definition = definition;
    this.#ledger = ledger;
  }

  async load(input: Input): Promise<Value> {
    const key = this.#definition.keyOf(input);
    if (key === undefined) return this.#definition.missing();
    const frame = currentFrame();
    return this.#in(frame, wishOf(frame)).load(key, frame.resolver);
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
    if (key !== undefined)
      for (const loader of this.#lanes(currentFrame()).values()) loader.clear(key);
    return this;
  }

  clearAll(): this {
    for (const loader of this.#lanes(currentFrame()).values()) loader.clearAll();
    return this;
  }

  prime(input: Input, value: Value): this {
    const key = this.#definition.keyOf(input);
    const frame = currentFrame();
    if (key !== undefined) this.#in(frame, wishOf(frame)).prime(key, value);
    return this;
  }

  /** Values that a replica gave must not answer who asked for the primary: a lane for each wish. */
  #in(frame: Frame, wish: Wish): OperationLoader<Value> {
    const lanes = this.#lanes(frame);
    let loader = lanes.get(wish);
    if (!loader) {
      loader = new OperationLoader(this.#definition, this.#ledger, frame.operation, wish);
      lanes.set(wish, loader);
    }
    return loader;
  }

  #lanes({ operation }: Frame): Map<Wish, OperationLoader<Value>> {
    return operation
      ? operation.state(this, () => new Map<Wish, OperationLoader<Value>>())
      : this.#outside;
  }
}

function wishOf({ asked }: Frame): Wish {
  return asked?.active ? asked.target : undefined;
}

function isDefinition(value: unknown): value is LoaderDefinition<unknown, unknown> {
  return isRecord(value) && typeof value['load'] === 'function' && 'keyOf' in value;
}
