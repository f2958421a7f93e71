export type { FreshnessMode, FreshnessPolicy } from './policy';
export { FixedWindow } from './fixed';
