export { isRetryableElsewhere, meaningOf, type FailureMeaning } from './failures';
export type { NodeState, StateChange } from './health';
export type { NodePool } from './node-pool';
export { NodePools, type NodePoolsParts, type ReadRequest, type ReplicaStatus } from './node-pools';
export type {
  Admission,
  NodeHooks,
  NodePoolsOptions,
  NodeSpec,
  PoolSettings,
  ReadRefusal,
  ReadResult,
  Timers,
  Trouble,
} from './types';
