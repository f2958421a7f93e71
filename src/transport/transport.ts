import { randomBytes } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import { echo } from '../errors';
import type { HandleParts } from '../fresh-reads';
import type { Operation } from '../operation';
import type { ResolvedSession } from './options';

/**
 * How long clients keep a token. A replica that is further behind than this would be read stale by a
 * session that was silent for as long.
 */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** A request, as far as sessions care. */
export interface Incoming<Request> {
  readonly request: Request;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | null | undefined;
}

/** What is to be added to the response. */
export interface Outgoing {
  /** Values of `Set-Cookie`, one a header. */
  readonly setCookie: readonly string[];
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const NOTHING: Outgoing = { setCookie: [], headers: [] };

/**
 * Brings the tokens of a request into an operation and sends the operation's own back.
 *
 * Each response that has something to say sets a cookie with a name of its own, and deletes those
 * that came with the request, since what they told is in the new one: so a name's value never
 * changes, and parallel responses can't erase each other's. Those that the handle can't read, or
 * that name another database, stay: they are of another handle, here or in another service.
 */
export class SessionTransport<Request> {
  readonly #parts: HandleParts;
  readonly #session: ResolvedSession<Request>;
  readonly #visits = new WeakMap<Operation, Promise<Visit>>();

  constructor(parts: HandleParts, session: ResolvedSession<Request>) {
    this.#parts = parts;
    this.#session = session;
  }

  /** Whether tokens travel at all. */
  get carries(): boolean {
    const { cookie, header, store } = this.#session;
    return cookie !== undefined || header !== undefined || store !== undefined;
  }

  /**
   * Whether it is up to this door to carry the tokens of the operation: not where another one around
   * it does that for the same handle. `again`: and it is at it already.
   */
  claim(operation: Operation): 'first' | 'again' | undefined {
    const { sessions } = this.#parts;
    if (!this.carries) {
      sessions.handled(operation);
      return undefined;
    }
    if (sessions.claim(operation, this) !== this) return undefined;
    return this.#visits.has(operation) ? 'again' : 'first';
  }

  /** Takes in what the client has brought. Never rejects: in doubt everything counts as written. */
  async arrive(incoming: Incoming<Request>, operation: Operation): Promise<Visit> {
    const others = this.#visits.get(operation);
    // Several operations of a batch that all belong to this one: the first has taken it in for all.
    if (others) return { ...(await others), cookies: [], stored: [] };
    const visit = this.#arrive(incoming, operation);
    this.#visits.set(operation, visit);
    return visit;
  }

  async #arrive(incoming: Incoming<Request>, operation: Operation): Promise<Visit> {
    const { cookie, header, store } = this.#session;
    const cookies = cookie
      ? ownCookies(incoming.header('cookie'), cookie.name)
      : new Map<string, string>();
    const inHeader = header ? (incoming.header(header) ?? '').split(/[\s,]+/).filter(Boolean) : [];
    let client: string | undefined;
    let stored: readonly string[] = [];
    if (store) {
      try {
        client = (await store.clientOf(incoming.request)) ?? undefined;
        if (client !== undefined) stored = allStrings(await store.sessionStore.load(client));
      } catch (error) {
        this.#parts.warn(`the session store failed: ${String(error)}`, 'sessionStore');
        this.#parts.sessions.acceptEverything(operation);
      }
    }
    const tokens = [...cookies.values(), ...inHeader, ...stored];
    if (tokens.length === 0) return { cookies: [], client, stored };
    await this.#parts.sessions.whenNamed();
    const done = this.#parts.sessions.accept(tokens, operation);
    return {
      cookies: [...cookies.keys()].filter((name) => done.has(cookies.get(name) ?? '')),
      client,
      stored: stored.filter((token) => done.has(token)),
    };
  }

  /** What the response has to carry. Waits for the operation's writes under way. Never rejects. */
  async leave(visit: Visit, operation: Operation): Promise<Outgoing> {
    if (!this.carries) return NOTHING;
    const { sessions } = this.#parts;
    const token = await sessions.tokenOnceIdle(operation);
    sessions.warnOthers(operation);
    if (this.#mustSave(visit, token)) await this.#save(visit, token);
    return this.#outgoing(visit, token);
  }

  /** The same where there is nothing to wait for; otherwise `undefined`: then {@link leave} has to. */
  leaveAtOnce(visit: Visit, operation: Operation): Outgoing | undefined {
    const { sessions } = this.#parts;
    if (!this.carries) return NOTHING;
    if (sessions.isBusy(operation)) return undefined;
    const token = sessions.tokenOf(operation);
    sessions.warnOthers(operation);
    return this.#mustSave(visit, token) ? undefined : this.#outgoing(visit, token);
  }

  #mustSave({ client, stored }: Visit, token: string | undefined): boolean {
    return client !== undefined && (token !== undefined || stored.length > 0);
  }

  async #save({ client, stored }: Visit, token: string | undefined): Promise<void> {
    const { store } = this.#session;
    if (!store || client === undefined) return;
    try {
      await store.sessionStore.save(client, { add: token, remove: stored, maxAgeMs: MAX_AGE_MS });
    } catch (error) {
      this.#parts.warn(`the session store failed: ${String(error)}`, 'sessionStore');
    }
  }

  #outgoing({ cookies }: Visit, token: string | undefined): Outgoing {
    const { cookie, header } = this.#session;
    const setCookie: string[] = [];
    if (cookie) {
      const set = (name: string, value: string, maxAgeMs: number) =>
        setCookie.push(
          stringifySetCookie({ name, value, maxAge: maxAgeMs / 1000, ...cookie.attributes }),
        );
      for (const name of cookies) set(name, '', 0);
      if (token !== undefined) {
        set(`${cookie.name}-${randomBytes(6).toString('base64url')}`, token, MAX_AGE_MS);
      }
    }
    return { setCookie, headers: header && token !== undefined ? [[header, token]] : [] };
  }
}

/** What a request has brought, for its response to replace. */
export interface Visit {
  readonly cookies: readonly string[];
  readonly client: string | undefined;
  readonly stored: readonly string[];
}

function allStrings(tokens: readonly unknown[]): readonly string[] {
  for (const token of tokens) {
    if (typeof token !== 'string') throw new TypeError(`load() gave ${echo(token)} as a token`);
  }
  return tokens as readonly string[];
}

function ownCookies(header: string | null | undefined, name: string): Map<string, string> {
  const own = new Map<string, string>();
  if (!header?.includes(name)) return own;
  for (const [key, value] of Object.entries(parseCookie(header))) {
    if (value && key.startsWith(`${name}-`)) own.set(key, value);
  }
  return own;
}
