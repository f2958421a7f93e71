import { runInOperation, type Operation } from '../operation';
import type { Outgoing, SessionTransport } from '../transport';
import type { FetchRequest, FetchResponse, FreshReadsEnvelopPlugin } from './peers';

type FetchAPI = Parameters<FreshReadsEnvelopPlugin['onRequest']>[0]['fetchAPI'];
type Handle = () => FetchResponse | Promise<FetchResponse>;

/** A request, and the operation around its executions. */
interface Served {
  readonly request: FetchRequest;
  readonly operation: Operation;
  readonly fetchAPI: FetchAPI;
}

/**
 * The executions of the HTTP requests being served, by the operation of the request: that is where the
 * context is made, and what the operations of the executions follow. Kept with the operation for all
 * plugins, since each handle has one and they share it.
 */
const EXECUTIONS = {};

/** Whether a plugin has opened this for a request. */
export function isRequest(operation: Operation): boolean {
  return operation.peek(EXECUTIONS) !== undefined;
}

/** An execution has begun that may belong to a request. */
export function noteExecution(execution: Operation): void {
  const { follows } = execution;
  if (follows && isRequest(follows)) executionsOf(follows).push(execution);
}

function executionsOf(request: Operation): Operation[] {
  return request.state<Operation[]>(EXECUTIONS, () => []);
}

/** Has a request served in an operation of its own, which is over when it is answered. */
export async function serveAsRequest(operation: Operation, handle: Handle): Promise<FetchResponse> {
  executionsOf(operation);
  try {
    return await runInOperation(operation, handle);
  } finally {
    operation.end();
  }
}

/** Takes in the client's tokens, has the request served, and adds the new ones. */
export async function withTokens(
  sessions: SessionTransport<FetchRequest>,
  { request, operation, fetchAPI }: Served,
  handle: Handle,
): Promise<FetchResponse> {
  const header = (name: string) => request.headers.get(name);
  const visit = await sessions.arrive({ request, header }, operation);
  let response = await handle();
  // All of them follow the request: the first answers for what the client has brought.
  const executions = isRequest(operation) ? executionsOf(operation) : [];
  const [first = operation, ...others] = executions;
  response = withHeaders(response, await sessions.leave(visit, first), fetchAPI);
  for (const other of others) {
    const more = await sessions.leave({ ...visit, cookies: [], stored: [] }, other);
    response = withHeaders(response, more, fetchAPI);
  }
  return response;
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
