import { now } from '../clock';
import { OptionsError, echo } from '../errors';
import { isRecord, rejectUnknownKeys } from '../validate';

/** What a response changes of its client's tokens. */
export interface SessionChange {
  /** To be added. Tokens that other responses have added meanwhile stay. */
  readonly add: string | undefined;
  /** To be removed: what they tell is in `add`, or of no use any more. */
  readonly remove: readonly string[];
  /** How long the token has to be kept at least, in milliseconds. */
  readonly maxAgeMs: number;
}

/**
 * Keeps the session tokens of clients that carry nothing themselves: a set of tokens a client. With
 * several processes it has to be shared by them (a set in Redis, a table of its own that is read on
 * the primary).
 */
export interface SessionStore {
  /** The tokens of a client, none for one that is not known. When it fails, the reads of the
   * request take everything for written. */
  load(client: string): readonly string[] | Promise<readonly string[]>;
  /** Changes the tokens of a client, as one step: other responses may change them at the same time. */
  save(client: string, change: SessionChange): void | Promise<void>;
}

interface Kept {
  readonly token: string;
  readonly until: number;
}

/**
 * A store in the memory of this process: for one process, and for tests.
 *
 * @param options.maxClients Beyond this many the one that was quiet longest is forgotten. Default 100,000.
 * @throws OptionsError for an unknown option, and for a `maxClients` that is no whole number above zero
 */
export function memorySessionStore(options: { readonly maxClients?: number } = {}): SessionStore {
  if (!isRecord(options)) {
    throw new OptionsError(`memorySessionStore: options must be an object, got ${echo(options)}.`);
  }
  rejectUnknownKeys('memorySessionStore', options, ['maxClients']);
  const { maxClients = 100_000 } = options;
  if (!Number.isInteger(maxClients) || maxClients < 1) {
    throw new OptionsError(
      `memorySessionStore: maxClients must be a whole number above zero, got ${echo(maxClients)}.`,
    );
  }
  const clients = new Map<string, readonly Kept[]>();
  const fresh = (client: string): readonly Kept[] =>
    (clients.get(client) ?? []).filter(({ until }) => until > now());

  return {
    load: (client) => fresh(client).map(({ token }) => token),
    save(client, { add, remove, maxAgeMs }) {
      const kept = fresh(client).filter(({ token }) => !remove.includes(token));
      const all = add === undefined ? kept : [...kept, { token: add, until: now() + maxAgeMs }];
      // Put at the end, so that the first key is the one that was quiet longest.
      clients.delete(client);
      if (all.length > 0) clients.set(client, all);
      const [oldest] = clients.keys();
      if (clients.size > maxClients && oldest !== undefined) clients.delete(oldest);
    },
  };
}
