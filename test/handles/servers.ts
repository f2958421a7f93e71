import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type RequestHandler } from 'express';
import { createSchema, createYoga, type Plugin } from 'graphql-yoga';
import { serve, type TestServer } from '../support/http';
import { resolversOf, typeDefs, type Sides } from './sides';

export interface Doors {
  readonly middlewares?: readonly RequestHandler[];
  readonly apollo?: readonly ApolloServerPlugin[];
  readonly context?: (given: { req: object }) => Promise<object>;
  /** Yoga in the place of Apollo Server. */
  readonly yoga?: readonly unknown[];
}

/** A GraphQL service over both sides behind these doors. */
export async function serveSides(
  sides: Sides,
  { middlewares = [], apollo = [], yoga, context = async () => ({}) }: Doors,
): Promise<TestServer> {
  const app = express();
  for (const middleware of middlewares) app.use(middleware);
  const resolvers = resolversOf(sides);
  if (yoga) {
    const handler = createYoga({
      schema: createSchema({ typeDefs, resolvers }),
      plugins: yoga as Plugin[],
      batching: true,
      logging: false,
    });
    app.use('/graphql', handler as unknown as RequestHandler);
    return serve(app);
  }
  const server = new ApolloServer({
    ...{ typeDefs, resolvers, allowBatchedHttpRequests: true },
    plugins: [...apollo],
  });
  await server.start();
  app.use('/graphql', express.json(), expressMiddleware(server, { context }));
  const running = await serve(app);
  return { ...running, close: () => running.close().then(() => server.stop()) };
}
