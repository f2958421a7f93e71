import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';

/**
 * A plugin for Apollo Server, in types of our own: Apollo's build for `import` and its build for
 * `require` have types that can't stand in for each other, and which of them you use is not known here.
 */
export interface OperationPlugin {
  serverWillStart(server: { readonly schema: GraphQLSchema }): Promise<ServerListener>;
  requestDidStart(): Promise<RequestListener>;
}

export interface ServerListener {
  schemaDidLoadOrUpdate(schemas: { readonly apiSchema: GraphQLSchema }): void;
  serverWillStop(): Promise<void>;
}

export interface RequestListener {
  didResolveOperation(request: ResolvedRequest): Promise<void>;
  willSendResponse(request: AnsweredRequest): Promise<void>;
}

/** A request of which it is known what operation it asks for. */
export interface ResolvedRequest {
  readonly operationName: string | null;
  readonly operation?: OperationDefinitionNode;
  readonly contextValue: object;
  readonly request: { readonly http?: { readonly headers: Pick<Headers, 'get'> } | undefined };
}

/** A request whose response is about to be sent, which may still be added to. */
export interface AnsweredRequest {
  readonly response: {
    readonly http: { readonly headers: Headers };
    readonly body:
      | { readonly kind: 'single'; readonly singleResult: WithExtensions }
      | { readonly kind: 'incremental'; readonly initialResult: WithExtensions };
  };
}

interface Headers {
  get(name: string): string | undefined;
  set(name: string, value: string): unknown;
}

interface WithExtensions {
  extensions?: Record<string, unknown>;
}
