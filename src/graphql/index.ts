export { contextOperation, noteContextOperation, operationOf, setOperation } from './contexts';
export { CollectedDecisions, type ShownDecision } from './decisions';
export { freshnessTypeDefs } from './freshness';
export { assertPluginOptions } from './options';
export { wrapResolvers } from './resolvers';
