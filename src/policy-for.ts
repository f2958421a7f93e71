import {
  FixedWindow,
  MeasuredWindow,
  Proven,
  type FreshnessPolicy,
  type ProbeEnvironment,
} from './freshness';
import type { ResolvedFreshness } from './resolve-options';

/** The freshness policy that the options ask for. */
export function policyFor(
  freshness: ResolvedFreshness,
  environment: ProbeEnvironment,
): FreshnessPolicy {
  switch (freshness.mode) {
    case 'proven':
      return new Proven(environment, freshness);
    case 'measured':
      return new MeasuredWindow(environment, freshness);
    case 'fixed':
      return new FixedWindow(freshness.windowMs);
  }
}
