export { INTERNAL, install, type Installation } from './install';
export { internalsOf, type SequelizeInternals } from './internals';
export { Knowledge, parseTableName } from './knowledge';
export { Marker } from './marker';
export { Nodes } from './nodes';
export type { QueryFreshness } from './query-options';
export { Router } from './router';
export { UnknownOutcomes } from './unknown-outcomes';
