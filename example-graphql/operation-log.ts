import type { ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import * as rTracer from 'cls-rtracer';
import type { AppContext } from './context';

/** One line an operation. Listed after the plugin of fresh reads, whose decisions it sums up. */
export function operationLog(log: (line: string) => void): ApolloServerPlugin<AppContext> {
  return {
    requestDidStart() {
      const startedAt = performance.now();
      return Promise.resolve({
        willSendResponse(request) {
          const { operation, operationName, errors } = request;
          const what = `${operation?.operation ?? 'request'} ${operationName ?? '(no name)'}`;
          const took = `${Math.round(performance.now() - startedAt)} ms`;
          const outcome = errors ? `${errors.length} error(s)` : 'ok';
          log(`${String(rTracer.id())}  ${what}  ${took}  ${outcome}${nodes(request)}`);
          return Promise.resolve();
        },
      });
    },
  };
}

/** How many statements went to each node: `  primary 2, replica1 3`. */
function nodes({ response }: GraphQLRequestContextWillSendResponse<AppContext>): string {
  if (response.body.kind !== 'single') return '';
  const shown = response.body.singleResult.extensions?.['freshReads'] as
    { decisions: readonly { node: string }[] } | undefined;
  const counts = new Map<string, number>();
  for (const { node } of shown?.decisions ?? []) counts.set(node, (counts.get(node) ?? 0) + 1);
  const parts = [...counts].sort().map(([node, count]) => `${node} ${count}`);
  return parts.length > 0 ? `  ${parts.join(', ')}` : '';
}
