import { Client } from 'pg';
import {
  loadCatalog,
  type Catalog,
  type CatalogOptions,
  type CatalogQuery,
  type StatementFacts,
} from '../../src/catalog';
import {
  analyseFunction,
  createAnalyser,
  loadParser,
  WriteAction,
  type Analysis,
} from '../../src/statement';
import { startCluster, type Cluster } from '../../src/testing';
import { CORPUS } from './corpus';

/** A server with a fresh database that holds the corpus, and a connection to it. */
export interface Ground {
  readonly client: Client;
  readonly query: CatalogQuery;
  load(options?: Partial<CatalogOptions>): Promise<Catalog>;
  close(): Promise<void>;
}

export async function prepareGround(): Promise<Ground> {
  await loadParser();
  const cluster: Cluster = await startCluster({ replicas: 0, database: 'corpus' });
  const client = new Client({ connectionString: cluster.primary.url });
  await client.connect();
  await client.query(CORPUS);
  const query: CatalogQuery = async (sql) =>
    (await client.query<Record<string, unknown>>(sql)).rows;
  return {
    client,
    query,
    load: (options) => loadCatalog(query, { analyseBody, ...options }),
    close: async () => {
      await client.end();
      await cluster.stop();
    },
  };
}

const analyser = createAnalyser();

/** What the text of a statement says by itself. */
export function factsOf(sql: string): StatementFacts {
  return fromAnalysis(analyser.analyse(sql));
}

export const analyseBody: CatalogOptions['analyseBody'] = (_language, _body, definition) =>
  fromAnalysis(analyseFunction(definition));

function fromAnalysis<A extends Analysis>(analysis: A) {
  return {
    ...analysis,
    writes: analysis.writes.map((write) => ({
      ...write,
      actions: Object.entries(WriteAction)
        .filter(([, bit]) => (write.actions & bit) !== 0)
        .map(([name]) => name),
    })),
  };
}

/** Facts of an UPDATE of some columns of one table. */
export function updateOf(table: string, ...columns: string[]): StatementFacts {
  const relation = { schema: undefined, name: table };
  return {
    reads: [],
    writes: [{ relation, actions: ['update'], columns }],
    functions: [],
    identifiers: [],
  };
}
