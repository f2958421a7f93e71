export { isRetryableElsewhere, meaningOf, type FailureMeaning } from './failures';
export type { NodeState, StateChange } from './health';
export type { NodePool } from './node-pool';
export { NodePools, type NodePoolsParts, type ReplicaStatus } from './node-pools';
export { NoReplicaLeft } from './types';
export type {
  Admission,
  NodeHooks,
  NodePoolsOptions,
  NodeSpec,
  PoolSettings,
  ReadRefusal,
  ReadRequest,
  Timers,
  Trouble,
} from './types';
