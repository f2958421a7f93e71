export { freshReadsPlugin, type FreshReadsPluginOptions } from './plugin';
export { withOperation } from './with-operation';
