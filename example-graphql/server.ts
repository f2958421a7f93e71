import { createServer, type Server } from 'node:http';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginDrainHttpServer } from '@apollo/server/plugin/drainHttpServer';
import { expressMiddleware } from '@as-integrations/express5';
import * as rTracer from 'cls-rtracer';
import express, { type ErrorRequestHandler } from 'express';
import type { Sequelize } from 'sequelize';
import type { FreshReads } from 'sequelize-fresh-reads';
import { freshReadsPlugin, withOperation } from 'sequelize-fresh-reads/apollo';
import { contextOf, type AppContext } from './context';
import { errorFormatter } from './errors';
import { graphiqlRoutes } from './graphiql';
import { listen } from './listen';
import { makeLoaders } from './loaders';
import type { Models } from './models';
import { operationLog } from './operation-log';
import { resolvers } from './resolvers';
import { typeDefs } from './schema';

export interface ServerParts {
  readonly reads: FreshReads;
  readonly sequelize: Sequelize;
  readonly models: Models;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly development: boolean;
  readonly log: (line: string) => void;
}

export interface RunningServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** Answers what is under way, then closes. */
  stop(): Promise<void>;
}

/** Serves GraphQL. */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const { reads, sequelize, models, host, port, development, log } = parts;
  const app = express().disable('x-powered-by');
  const httpServer = createServer(app);
  const apollo = makeApollo(parts, httpServer);
  await apollo.start();

  app.use(rTracer.expressMiddleware({ echoHeader: true }));
  if (development) app.use(graphiqlRoutes());
  app.use(
    '/graphql',
    express.json({ limit: '1mb' }),
    expressMiddleware(apollo, {
      context: withOperation(
        reads,
        contextOf({ sequelize, models, loaders: makeLoaders(reads, models) }),
      ),
    }),
  );
  app.use(requestErrors(log));

  try {
    const url = await listen(httpServer, host, port);
    return { url, stop: () => apollo.stop() };
  } catch (error) {
    await apollo.stop();
    throw error;
  }
}

function makeApollo({ reads, development, log }: ServerParts, httpServer: Server) {
  return new ApolloServer<AppContext>({
    typeDefs,
    resolvers,
    allowBatchedHttpRequests: true,
    introspection: development,
    includeStacktraceInErrorResponses: false,
    formatError: errorFormatter(log),
    stopOnTerminationSignals: false,
    plugins: [
      freshReadsPlugin(reads, { exposeDecisions: development, requestId: () => rTracer.id() }),
      operationLog(log),
      // Apollo's own page needs the internet.
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginDrainHttpServer({ httpServer, stopGracePeriodMillis: 2000 }),
    ],
  });
}

/** What went wrong before GraphQL had a say: text that is no JSON, a body too large. */
function requestErrors(log: (line: string) => void): ErrorRequestHandler {
  return (error: { status?: number; message?: string }, _req, res, _next) => {
    const ours = error.status === undefined || error.status >= 500;
    if (ours) log(`error   ${String(error.message)}`);
    const message = ours ? 'something went wrong on our side' : String(error.message);
    res.status(error.status ?? 500).json({ errors: [{ message }] });
  };
}
