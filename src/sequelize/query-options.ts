import { OptionsError, echo } from '../errors';
import { isRecord } from '../validate';
import type { StatementOptions } from './internals';

/**
 * What one query may ask for: `'fresh'` (the normal rule, over `usePrimary` or `useReplica` around
 * it), `'primary'`, `'replica'`, or `{ maxLagMs }` (the normal rule, and only replicas known to be
 * no further behind; see the option `maxReplicaLagMs`).
 */
export type QueryFreshness = 'fresh' | 'primary' | 'replica' | { readonly maxLagMs: number };

declare module 'sequelize/types/model' {
  interface Poolable {
    /** Where this query may be answered. Default: the normal rule. See `QueryFreshness`. */
    freshness?: QueryFreshness | undefined;
  }
}

/** @throws OptionsError when the query's `freshness` is none of the choices. */
export function freshnessOf(options: StatementOptions): QueryFreshness | undefined {
  const { freshness } = options as { freshness?: unknown };
  if (freshness === undefined) return undefined;
  if (freshness === 'fresh' || freshness === 'primary' || freshness === 'replica') return freshness;
  if (isRecord(freshness)) {
    const { maxLagMs } = freshness;
    if (typeof maxLagMs === 'number' && maxLagMs >= 0) return { maxLagMs };
  }
  throw new OptionsError(
    `freshness of a query must be 'fresh', 'primary', 'replica' or { maxLagMs: milliseconds }, got ${echo(freshness)}.`,
  );
}
