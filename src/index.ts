export { freshReads } from './fresh-reads';
export type {
  Disposable,
  FreshReads,
  NodeStatus,
  OperationOptions,
  Status,
  TableLike,
} from './handle';
export type {
  FixedFreshness,
  FreshReadsOptions,
  Logger,
  MeasuredFreshness,
  ProvenFreshness,
} from './options';
export type { OperationInfo, OperationKind, WriteRecord, WriteState } from './operation';
export type { Decision, Reason, Target } from './routing';
export type { FreshnessMode } from './freshness';
export type { PoolSettings } from './replicas';
export type { QueryFreshness, ReplicaConfig } from './sequelize';
export type { TokenCounts } from './token-reader';
export {
  ClusterError,
  FreshReadsError,
  OptionsError,
  ReplicasUnavailableError,
  isClusterError,
  isFreshReadsError,
  isOptionsError,
  isReplicasUnavailableError,
  type FreshReadsErrorCode,
} from './errors';
