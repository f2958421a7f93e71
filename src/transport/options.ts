import { stringifySetCookie } from 'cookie';
import { OptionsError, echo } from '../errors';
import { isRecord, rejectUnknownKeys } from '../validate';
import type { SessionStore } from './store';

/** The cookie that carries a session token. It is always HttpOnly. */
export interface SessionCookieOptions {
  /** What the names of the cookies begin with. Default `'fresh-reads'`. */
  readonly name?: string;
  /** Default `'lax'`. */
  readonly sameSite?: 'lax' | 'strict' | 'none';
  /** Sent over HTTPS only. Default: with `NODE_ENV=production`. */
  readonly secure?: boolean;
  /** Default `'/'`. */
  readonly path?: string;
  /** Default: the host that answers. */
  readonly domain?: string;
}

/** How session tokens travel between a client and the server. Needs `sessionSecret`. */
export interface SessionOptions<Request> {
  /** `false`: no cookie. Default: a cookie, when the handle has a `sessionSecret`. */
  readonly cookie?: false | SessionCookieOptions;
  /**
   * The header that brings tokens (several: separated by commas) and takes the new one back, for
   * clients that keep no cookies. `false`: none. Default `'x-fresh-reads-token'`.
   */
  readonly header?: false | string;
  /**
   * Keeps the tokens of clients that carry nothing. Needs `clientOf`. Default: none.
   */
  readonly sessionStore?: SessionStore;
  /** Who the client of a request is, as the store's key: a user's or a device's id. */
  readonly clientOf?: (
    request: Request,
  ) => string | null | undefined | Promise<string | null | undefined>;
}

export const SESSION_KEYS = ['cookie', 'header', 'sessionStore', 'clientOf'] as const;

export interface ResolvedSession<Request> {
  readonly cookie: ResolvedCookie | undefined;
  readonly header: string | undefined;
  readonly store:
    | {
        readonly sessionStore: SessionStore;
        readonly clientOf: NonNullable<SessionOptions<Request>['clientOf']>;
      }
    | undefined;
}

export interface ResolvedCookie {
  readonly name: string;
  readonly attributes: {
    readonly httpOnly: true;
    readonly sameSite: 'lax' | 'strict' | 'none';
    readonly secure: boolean;
    readonly path: string;
    readonly domain?: string;
  };
}

// What may stand in a cookie's name and in a header's name: RFC 9110, "token".
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * @param enabled whether the handle has a `sessionSecret`
 * @throws OptionsError naming the option that is wrong
 */
export function resolveSession<Request>(
  where: string,
  { cookie, header, sessionStore, clientOf }: SessionOptions<Request>,
  enabled: boolean,
): ResolvedSession<Request> {
  const wanted = [cookie, header, sessionStore].some(
    (option) => option !== undefined && option !== false,
  );
  if (wanted && !enabled) {
    throw new OptionsError(
      `${where}: cookie, header and sessionStore carry session tokens, which need the option sessionSecret of freshReads().`,
    );
  }
  const resolved = {
    cookie: cookieOf(where, cookie),
    header: headerOf(where, header),
    store: storeOf(where, sessionStore, clientOf),
  };
  return enabled ? resolved : { cookie: undefined, header: undefined, store: undefined };
}

function cookieOf(where: string, cookie: unknown): ResolvedCookie | undefined {
  if (cookie === false) return undefined;
  const given = cookie ?? {};
  if (!isRecord(given)) {
    throw new OptionsError(`${where}: cookie must be false or an object, got ${echo(cookie)}.`);
  }
  rejectUnknownKeys(`${where}: cookie`, given, ['name', 'sameSite', 'secure', 'path', 'domain']);
  const { name = 'fresh-reads', sameSite = 'lax', path = '/', domain } = given;
  const { secure = process.env['NODE_ENV'] === 'production' } = given;
  if (typeof name !== 'string' || !TOKEN.test(name)) {
    throw new OptionsError(
      `${where}: cookie.name must be letters, digits, - and _, got ${echo(name)}.`,
    );
  }
  if (sameSite !== 'lax' && sameSite !== 'strict' && sameSite !== 'none') {
    throw new OptionsError(
      `${where}: cookie.sameSite must be 'lax', 'strict' or 'none', got ${echo(sameSite)}.`,
    );
  }
  if (typeof secure !== 'boolean') {
    throw new OptionsError(`${where}: cookie.secure must be true or false, got ${echo(secure)}.`);
  }
  if (sameSite === 'none' && !secure) {
    throw new OptionsError(
      `${where}: cookie.sameSite 'none' is ignored by browsers without cookie.secure: true.`,
    );
  }
  for (const [key, value] of Object.entries({ path, domain })) {
    if (value === undefined || (typeof value === 'string' && fits(key, value))) continue;
    const rule = typeof value === 'string' ? 'what a cookie can hold' : 'a string';
    throw new OptionsError(`${where}: cookie.${key} must be ${rule}, got ${echo(value)}.`);
  }
  return {
    name,
    attributes: {
      httpOnly: true,
      sameSite,
      secure,
      path: path as string,
      ...(domain !== undefined && { domain: domain as string }),
    },
  };
}

/** Asked of whoever writes the cookies: a response is too late to find out. */
function fits(attribute: string, value: string): boolean {
  try {
    stringifySetCookie({ name: 'name', value: '', [attribute]: value });
    return value !== '';
  } catch {
    return false;
  }
}

function headerOf(where: string, header: unknown): string | undefined {
  if (header === false) return undefined;
  const name = header ?? 'x-fresh-reads-token';
  if (typeof name === 'string' && TOKEN.test(name)) return name.toLowerCase();
  throw new OptionsError(`${where}: header must be false or a header's name, got ${echo(header)}.`);
}

function storeOf<Request>(
  where: string,
  sessionStore: unknown,
  clientOf: SessionOptions<Request>['clientOf'],
): ResolvedSession<Request>['store'] {
  if (clientOf !== undefined && typeof clientOf !== 'function') {
    throw new OptionsError(
      `${where}: clientOf must be a function of the request, got ${echo(clientOf)}.`,
    );
  }
  if (sessionStore === undefined) {
    if (!clientOf) return undefined;
    throw new OptionsError(`${where}: clientOf is the key for a sessionStore; give that as well.`);
  }
  if (
    !isRecord(sessionStore) ||
    typeof sessionStore['load'] !== 'function' ||
    typeof sessionStore['save'] !== 'function'
  ) {
    throw new OptionsError(
      `${where}: sessionStore must have load(client) and save(client, change), got ${echo(sessionStore)}.`,
    );
  }
  if (!clientOf) {
    throw new OptionsError(
      `${where}: sessionStore needs clientOf(request), which says whose tokens they are.`,
    );
  }
  return { sessionStore: sessionStore as unknown as SessionStore, clientOf };
}
