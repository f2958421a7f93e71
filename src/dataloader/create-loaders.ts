import { OptionsError, echo } from '../errors';
import { partsOf, type HandleParts } from '../fresh-reads';
import type { FreshReads } from '../handle';
import { isRecord } from '../validate';
import { BoundLoader, LoaderCore } from './loader';
import { answers } from './row-shape';
import type { LoaderDefinition, LoaderOf } from './types';

type AnyDefinition = LoaderDefinition<never, unknown, never>;

/** The loaders that {@link createLoaders} makes of its definitions, by the same names. */
export type Loaders<Definitions> = {
  readonly [Name in keyof Definitions]: LoaderOf<Definitions[Name]>;
};

/**
 * Makes loaders, once and for all operations: each call finds the DataLoader of the operation it is
 * made in. Outside any operation loads are batched within the tick and never cached.
 *
 * A batch is one query, and where it goes is decided when it is sent, for all its keys. Loads that
 * are not to share an answer don't share a batch: those of two operations, of two transactions, of
 * different arguments, of `usePrimary` and of no such wish. A write to a table that a loader reads
 * clears that loader. Rows that one loader has read answer the keys of others where these would
 * have found the same: posts of a user, and posts by primary key.
 *
 * Includes with `separate: true` are statements of their own, each with a decision of its own.
 *
 * ```ts
 * const loaders = createLoaders(reads, { user: byKey(User), postsOfUser: hasMany(User.associations.posts) });
 * await loaders.user.load(1);
 * ```
 *
 * @throws OptionsError when `reads` is no handle, a value is no definition, or a model belongs to
 *   another Sequelize instance than `reads`
 */
export function createLoaders<const Definitions extends Readonly<Record<string, AnyDefinition>>>(
  reads: FreshReads,
  definitions: Definitions,
): Loaders<Definitions> {
  const parts = partsOf(reads, 'createLoaders');
  if (!isRecord(definitions)) {
    throw new OptionsError(
      `createLoaders(reads, definitions): definitions must be an object such as { user: byKey(User) }, got ${echo(definitions)}.`,
    );
  }
  const cores = Object.entries(definitions).map(([name, definition]) => {
    assertDefinition(name, definition, parts);
    return [name, new LoaderCore(definition, parts)] as const;
  });
  for (const [, core] of cores) core.feeds(fedBy(core, cores));
  const loaders = cores.map(([name, core]) => [name, new BoundLoader(core, core.definition)]);
  return Object.freeze(Object.fromEntries(loaders)) as Loaders<Definitions>;
}

function fedBy(
  { definition: { rows } }: LoaderCore<unknown>,
  all: readonly (readonly [string, LoaderCore<unknown>])[],
): LoaderCore<unknown>[] {
  if (!rows) return [];
  return all
    .map(([, core]) => core)
    .filter(
      ({ definition: other }) => other.rows && other.rows !== rows && answers(rows, other.rows),
    );
}

function assertDefinition(
  name: string,
  value: unknown,
  parts: HandleParts,
): asserts value is AnyDefinition {
  if (!isRecord(value) || typeof value['load'] !== 'function' || !('keyOf' in value)) {
    throw new OptionsError(
      `createLoaders: ${echo(name)} must be made by byKey, hasMany, belongsTo, hasOne, belongsToMany, countOf or batch, got ${echo(value)}.`,
    );
  }
  const { sequelize, label } = value as unknown as AnyDefinition;
  if (sequelize !== undefined && sequelize !== parts.sequelize) {
    throw new OptionsError(
      `createLoaders: ${echo(name)} is ${label}, whose model belongs to another Sequelize instance than the handle given.`,
    );
  }
}
