import type { DocumentNode, GraphQLSchema } from 'graphql';

// The members of Envelop's and Yoga's plugins that are used here, so that neither has to be
// installed for the other.

/** A request as Yoga has it: a standard `Request`. */
export interface FetchRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** A standard `Response`. */
export interface FetchResponse {
  readonly status: number;
  readonly statusText: string;
  readonly body: unknown;
  readonly headers: Iterable<readonly [string, string]> & {
    append(name: string, value: string): void;
  };
}

type ResponseClass = new (
  body: never,
  init: { status: number; statusText: string; headers: [string, string][] },
) => FetchResponse;

/** What is executed. */
export interface ExecutionArgs {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly contextValue?: unknown;
}

export interface ExecutionResult {
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export type Results = ExecutionResult | AsyncIterable<ExecutionResult>;
export type Execute = (args: ExecutionArgs) => Results | Promise<Results>;

/** As a method, so that handlers of whole requests and responses fit. */
type RequestHandler = {
  handle(request: FetchRequest, context: unknown): FetchResponse | Promise<FetchResponse>;
}['handle'];

/** The plugin that `useFreshReads` gives: for Yoga's and for Envelop's list of `plugins`. */
export interface FreshReadsEnvelopPlugin {
  onSchemaChange(payload: { readonly schema: GraphQLSchema }): void;
  onExecute(payload: {
    readonly args: ExecutionArgs;
    readonly executeFn: Execute;
    setExecuteFn(execute: Execute): void;
  }): void;
  onSubscribe(payload: {
    readonly args: ExecutionArgs;
    readonly subscribeFn: Execute;
    setSubscribeFn(subscribe: Execute): void;
  }): void;
  /** Yoga only: Envelop knows nothing of HTTP. */
  onRequest(payload: {
    readonly requestHandler: RequestHandler;
    setRequestHandler(handler: RequestHandler): void;
    readonly fetchAPI: { readonly Response: ResponseClass };
  }): void;
  /** Yoga only. */
  onDispose(): void;
}
