export { DatabaseName } from './database-name';
export { Decisions } from './decisions';
export { hearErrorsEarly } from './early-errors';
export { install, type Installation } from './install';
export {
  internalsOf,
  type IncludeInternals,
  type IncludesInternals,
  type IncludingInternals,
  type InstanceInternals,
  type SequelizeInternals,
} from './internals';
export { Knowledge } from './knowledge';
export { LiveWrites } from './live-writes';
export { Marker } from './marker';
export { installNodePools, type NodePoolsInstallation } from './node-pools';
export { Nodes, PRIMARY } from './nodes';
export { ownQuery } from './own-query';
export { probeOpener } from './probes';
export type { QueryFreshness } from './query-options';
export type { ReplicaConfig } from './read-entry';
export { ReplicaSet } from './replica-set';
export { Router } from './router';
export { SessionReads } from './session-reads';
export { Statement } from './statement';
export { parseTableName, type TableName } from './table-name';
export { UnknownOutcomes } from './unknown-outcomes';
