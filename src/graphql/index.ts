export { contextOperation, noteContextOperation, operationOf, setOperation } from './contexts';
export { freshnessTypeDefs } from './freshness';
export { wrapResolvers } from './resolvers';
