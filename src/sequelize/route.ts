import type { ReadRefusal } from '../replicas';

/**
 * Where a read goes, and in the end where it went. Given to Sequelize in the place of `useMaster`,
 * which it hands to the pool as it is.
 */
export class Route {
  /** The replica that serves it, `'primary'`, or `undefined` while it has no connection. */
  node: string | undefined;
  /** Why eligible replicas did not serve it. */
  refusals: readonly ReadRefusal[] = [];

  private constructor(
    /** Names of the replicas that may serve it; empty: the primary. */
    readonly eligible: readonly string[],
    /** The primary serves it only because no replica can. */
    readonly fallback: boolean,
    readonly recheck: ((node: string) => boolean) | undefined,
    /** When no eligible replica can: the primary, or a ReplicasUnavailableError. */
    readonly otherwise: 'primary' | 'error',
  ) {}

  static toReplica(
    eligible: readonly string[],
    recheck?: (node: string) => boolean,
    otherwise: 'primary' | 'error' = 'primary',
  ): Route {
    return new Route(eligible, false, recheck, otherwise);
  }

  /** `fallback`: only for want of a fit replica, so that it counts against `maxPrimaryFallback`. */
  static toPrimary({ fallback = false } = {}): Route {
    return new Route([], fallback, undefined, 'primary');
  }
}
