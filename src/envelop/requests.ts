import { runInOperation, type Operation } from '../operation';
import type { Outgoing, SessionTransport } from '../transport';
import type { FetchRequest, FetchResponse, FreshReadsEnvelopPlugin } from './peers';

type FetchAPI = Parameters<FreshReadsEnvelopPlugin['onRequest']>[0]['fetchAPI'];
type Handle = () => FetchResponse | Promise<FetchResponse>;

/**
 * The HTTP requests being served. Each has an operation, in which the context is made, and which the
 * operations of its executions follow.
 */
export class Requests {
  readonly #sessions: SessionTransport<FetchRequest>;
  /** The executions of a request, by the operation of the request. */
  readonly #executions = new WeakMap<Operation, Operation[]>();

  constructor(sessions: SessionTransport<FetchRequest>) {
    this.#sessions = sessions;
  }

  isServed(operation: Operation): boolean {
    return this.#executions.has(operation);
  }

  /** An execution has begun that may belong to a request. */
  note(execution: Operation): void {
    if (execution.follows) this.#executions.get(execution.follows)?.push(execution);
  }

  /** Takes in the client's tokens; what it gives has the request served, and adds the new ones. */
  async arrive(
    request: FetchRequest,
    operation: Operation,
    fetchAPI: FetchAPI,
  ): Promise<(handle: Handle) => Promise<FetchResponse>> {
    const executions: Operation[] = [];
    this.#executions.set(operation, executions);
    const header = (name: string) => request.headers.get(name);
    const visit = await this.#sessions.arrive({ request, header }, operation);
    return async (handle) => {
      try {
        let response = await runInOperation(operation, handle);
        // All of them follow the request: the first answers for what the client has brought.
        const [first = operation, ...others] = executions;
        response = withHeaders(response, await this.#sessions.leave(visit, first), fetchAPI);
        for (const other of others) {
          const more = await this.#sessions.leave({ ...visit, cookies: [], stored: [] }, other);
          response = withHeaders(response, more, fetchAPI);
        }
        return response;
      } finally {
        operation.end();
      }
    };
  }
}

function withHeaders(
  response: FetchResponse,
  { setCookie, headers }: Outgoing,
  { Response }: FetchAPI,
): FetchResponse {
  const all = [...setCookie.map((value) => ['set-cookie', value] as const), ...headers];
  try {
    for (const [name, value] of all) response.headers.append(name, value);
    return response;
  } catch {
    // A redirect, or the answer of another server handed on: its headers can't be changed.
    const { body, status, statusText } = response;
    const copied = [...response.headers, ...all] as [string, string][];
    // Listed, since some makers of responses take a Headers object over as it is.
    return new Response(body as never, { status, statusText, headers: copied });
  }
}
