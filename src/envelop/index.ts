export { useFreshReads, type UseFreshReadsOptions } from './plugin';
export { type FetchRequest, type FreshReadsEnvelopPlugin } from './peers';
export { freshnessTypeDefs } from '../graphql';
export {
  memorySessionStore,
  type SessionChange,
  type SessionCookieOptions,
  type SessionOptions,
  type SessionStore,
} from '../transport';
