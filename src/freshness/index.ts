export type { FreshnessMode, FreshnessPolicy, NodeConnection } from './policy';
export { FixedWindow } from './fixed';
