export { freshReadsPlugin, type FreshReadsPluginOptions } from './plugin';
export { withOperation, type WithOperationOptions } from './with-operation';
export { freshnessTypeDefs } from '../graphql';
export {
  memorySessionStore,
  type SessionChange,
  type SessionCookieOptions,
  type SessionOptions,
  type SessionStore,
} from '../transport';
export type { OperationPlugin } from './plugin-type';
