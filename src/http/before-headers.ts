import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Outgoing } from '../transport';

/** The calls that can send the headers of a response. */
const SENDING = ['writeHead', 'flushHeaders', 'write', 'end'] as const;
type Sending = (typeof SENDING)[number];
type Method = (...args: unknown[]) => unknown;

/**
 * What Node looks at to tell whether the headers are rendered; Express, compression and loggers look
 * at it as well. While a response is held this says that they are, so that each of them behaves as
 * it would: setting a header throws, a second head is refused, `headersSent` is true.
 */
interface Rendered {
  _header: string | null;
}

/**
 * Calls `prepare` at the last moment at which the headers of `response` can be changed, and adds
 * what it gives. When that takes a while, everything that is written meanwhile is held, and sent
 * in its order afterwards.
 *
 * @param prepare must not throw or reject
 */
export function beforeHeaders(
  response: ServerResponse,
  prepare: () => Outgoing | Promise<Outgoing>,
): void {
  const outer = response as unknown as Record<Sending, Method>;
  const inner = {} as Record<Sending, Method>;
  let state: Outgoing | Held | undefined;

  const send = (name: Sending, args: unknown[], outgoing: Outgoing) =>
    inner[name].apply(
      response,
      name === 'writeHead' ? withHeaders(response, args, outgoing) : args,
    );
  const begin = (): Outgoing | Held => {
    const prepared = prepare();
    if (!(prepared instanceof Promise)) return prepared;
    const held = new Held(response);
    void prepared.then((outgoing) => {
      state = outgoing;
      held.release((name, args) => send(name, args, outgoing));
    });
    return held;
  };

  for (const name of SENDING) {
    inner[name] = outer[name];
    outer[name] = (...args) => {
      state ??= begin();
      return state instanceof Held ? state.add(name, args) : send(name, args, state);
    };
  }
}

/** What was written to a response that may not be sent yet. */
class Held {
  readonly #response: ServerResponse;
  readonly #calls: (readonly [Sending, unknown[]])[] = [];
  readonly #status: Pick<ServerResponse, 'statusCode' | 'statusMessage'>;
  #mustDrain = false;

  constructor(response: ServerResponse) {
    const { statusCode, statusMessage } = response;
    this.#response = response;
    this.#status = { statusCode, statusMessage };
    (response as unknown as Rendered)._header = ' ';
  }

  /** Gives what the call would have given, but asks writers to wait. */
  add(name: Sending, args: unknown[]): unknown {
    if (name === 'writeHead' && this.#calls.length > 0) throw headersSent();
    this.#calls.push([name, args]);
    if (name === 'end') {
      Object.defineProperty(this.#response, 'writableEnded', { value: true, configurable: true });
    }
    if (name === 'write') this.#mustDrain = true;
    if (name === 'flushHeaders') return undefined;
    return name === 'write' ? false : this.#response;
  }

  release(send: (name: Sending, args: unknown[]) => void): void {
    const response = this.#response;
    (response as unknown as Rendered)._header = null;
    delete (response as { writableEnded?: boolean }).writableEnded;
    Object.assign(response, this.#status);
    try {
      for (const [name, args] of this.#calls) send(name, args);
    } catch (error) {
      // The caller has long returned: a bad chunk or status can't be thrown at it any more.
      response.destroy(error as Error);
      return;
    }
    // Node says so itself once what it could not send at once is gone.
    if (this.#mustDrain && !response.writableNeedDrain && !response.writableEnded) {
      response.emit('drain');
    }
  }
}

function headersSent(): Error {
  return Object.assign(new Error('Cannot write headers after they are sent to the client'), {
    code: 'ERR_HTTP_HEADERS_SENT',
  });
}

/**
 * Adds to the headers, next to what is set already and to what `writeHead(status, reason?, headers?)`
 * brings; the arguments without headers that are left for it.
 */
function withHeaders(
  response: ServerResponse,
  args: unknown[],
  { setCookie, headers }: Outgoing,
): unknown[] {
  if (setCookie.length === 0 && headers.length === 0) return args;
  // A head that is written already: Node has an error for that.
  if (response.headersSent) return args;
  const [status, reason] = args;
  const given = typeof reason === 'string' ? args[2] : (args[2] ?? reason);
  setGiven(response, given as OutgoingHttpHeaders | readonly unknown[] | null | undefined);
  if (setCookie.length > 0) response.appendHeader('Set-Cookie', setCookie);
  for (const [name, value] of headers) response.appendHeader(name, value);
  return typeof reason === 'string' ? [status, reason] : [status];
}

function setGiven(
  response: ServerResponse,
  given: OutgoingHttpHeaders | readonly unknown[] | null | undefined,
): void {
  if (!given) return;
  if (!isList(given)) {
    // An undefined value is an error of Node's own, as in its writeHead.
    const entries = Object.entries(given) as [string, string | string[]][];
    for (const [name, value] of entries) response.setHeader(name, value);
    return;
  }
  const pairs = pairsOf(given);
  // Those that the list repeats stay repeated.
  for (const [name] of pairs) if (response.hasHeader(name)) response.removeHeader(name);
  for (const [name, value] of pairs) response.appendHeader(name, value);
}

type Pair = readonly [name: string, value: string | readonly string[]];

/** Node takes `[name, value, name, value]` and `[[name, value], [name, value]]`. */
function pairsOf(list: readonly unknown[]): readonly Pair[] {
  if (Array.isArray(list[0])) return list as readonly Pair[];
  const pairs: Pair[] = [];
  for (let at = 0; at < list.length; at += 2) {
    pairs.push([list[at], list[at + 1]] as unknown as Pair);
  }
  return pairs;
}

function isList(given: OutgoingHttpHeaders | readonly unknown[]): given is readonly unknown[] {
  return Array.isArray(given);
}
