export { freshReadsMiddleware, type FreshReadsMiddleware } from './middleware';
export { type FreshReadsMiddlewareOptions } from './options';
export {
  memorySessionStore,
  type SessionChange,
  type SessionCookieOptions,
  type SessionOptions,
  type SessionStore,
} from '../transport';
