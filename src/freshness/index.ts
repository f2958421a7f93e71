export type { FreshnessMode, FreshnessPolicy, Lag, NodeConnection } from './policy';
export type { ProbeConnection, ProbeEnvironment } from './environment';
export type { HeartbeatOptions } from './heartbeat';
export { FixedWindow } from './fixed';
export { MeasuredWindow, type MeasuredOptions } from './measured';
export { Proven, type ProvenOptions } from './proven';
