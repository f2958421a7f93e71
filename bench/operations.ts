import { ApolloServer } from '@apollo/server';
import { Sequelize } from 'sequelize';
import { builtApollo, builtPackage } from './built';
import { computed, type Variant } from './measure';
import { report } from './report';

const ROUNDS = 25;
/** Calls of a resolver written by hand, beside the one that gives the list. */
const CALLS = [1, 10, 100, 1000];
/** Resolver calls in one round of one variant, or so. */
const WORK = 20_000;
const LEAST_OPERATIONS = 50;

const typeDefs = `
  type Item { value: Int! }
  type Query { items(count: Int!): [Item!]! }
`;

/** The same schema each time: wrapping changes it in place. */
function serverWith(plugins: ConstructorParameters<typeof ApolloServer>[0]['plugins']) {
  return new ApolloServer({
    typeDefs,
    resolvers: {
      Query: {
        items: (_: unknown, { count }: { count: number }) =>
          Array.from({ length: count }, (_, n) => n),
      },
      Item: { value: (item: number) => item },
    },
    plugins,
  });
}

function answering(name: string, server: ApolloServer, calls: number): Variant {
  const query = `query Items($count: Int!) { items(count: $count) { value } }`;
  return {
    name,
    async run(count) {
      for (let i = 0; i < count; i++) {
        const { body } = await server.executeOperation({ query, variables: { count: calls } });
        if (body.kind !== 'single' || body.singleResult.errors) throw new Error('no answer');
      }
    },
  };
}

/** What the plugin costs: the same schema with it and without it take turns. No database. */
async function operations(): Promise<void> {
  const { freshReads } = await builtPackage();
  const { freshReadsPlugin } = await builtApollo();
  // Nobody listens there: resolvers that ask for nothing need no database.
  const node = { host: '127.0.0.1', port: 1 };
  const sequelize = new Sequelize({
    dialect: 'postgres',
    logging: false,
    replication: { write: node, read: [node] },
  });
  const reads = freshReads(sequelize);
  const plain = serverWith([]);
  const routed = serverWith([freshReadsPlugin(reads)]);
  const more: number[] = [];
  try {
    await plain.start();
    await routed.start();
    for (const calls of CALLS) {
      const count = Math.max(LEAST_OPERATIONS, Math.round(WORK / (calls + 20)));
      const figures = await computed(
        [
          answering('Apollo Server alone', plain, calls),
          answering('with the plugin', routed, calls),
        ],
        { rounds: ROUNDS, count },
      );
      report(
        `an operation with ${calls} + 1 calls of resolvers written by hand`,
        'us of processor time',
        figures,
      );
      more.push(figures[1]?.more ?? NaN);
    }
  } finally {
    await plain.stop();
    await routed.stop();
    await sequelize.close();
  }
  const [few = NaN, most = NaN] = [more[0], more.at(-1)];
  const slope = (most - few) / ((CALLS.at(-1) ?? NaN) - (CALLS[0] ?? NaN));
  console.log(
    `\nthe plugin: ${(few - 2 * slope).toFixed(1)} us an operation and ${slope.toFixed(2)} us a call, ` +
      'by the first and the last of these',
  );
}

export const benches = [{ name: 'operations', run: operations }];
