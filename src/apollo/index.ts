export { freshReadsPlugin, type FreshReadsPluginOptions } from './plugin';
export { freshnessTypeDefs } from '../graphql';
export { withOperation } from './with-operation';
