export {
  SESSION_KEYS,
  resolveSession,
  type ResolvedSession,
  type SessionCookieOptions,
  type SessionOptions,
} from './options';
export { assertRequestId, namedBy } from './request-id';
export { memorySessionStore, type SessionChange, type SessionStore } from './store';
export { SessionTransport, type Incoming, type Outgoing, type Visit } from './transport';
