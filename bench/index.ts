import { parseArgs } from 'node:util';
import { saveReport } from './report';

/** One benchmark: prints its tables with `report`. */
export interface Bench {
  readonly name: string;
  readonly run: (options: BenchOptions) => Promise<void>;
}

/** From the command line, for the benchmarks that care. */
export interface BenchOptions {
  /** How long a load lasts. Default: as the benchmark says. */
  readonly seconds?: number;
  /** How often a load is repeated. Default: as the benchmark says. */
  readonly rounds?: number;
  /** Where to draw a chart. Default: nowhere. */
  readonly svg?: string;
}

const modules: Readonly<Record<string, () => Promise<{ benches: readonly Bench[] }>>> = {
  overhead: () => import('./overhead.js'),
  catchUp: () => import('./catch-up.js'),
  loaders: () => import('./loaders.js'),
  freshness: () => import('./freshness.js'),
  failover: () => import('./failover.js'),
  memory: () => import('./memory.js'),
  operations: () => import('./operations.js'),
  scale: () => import('./scale/index.js'),
  policies: () => import('./policies/index.js'),
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      json: { type: 'string' },
      svg: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
    },
    allowPositionals: true,
  });
  const options: BenchOptions = {
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    svg: values.svg,
  };
  const benches: Bench[] = [];
  for (const load of Object.values(modules)) benches.push(...(await load()).benches);
  const unknown = positionals.find((name) => !benches.some((bench) => isCalled(bench, name)));
  if (unknown !== undefined) {
    const known = benches.map(({ name }) => name).join(', ');
    throw new Error(`there is no benchmark ${JSON.stringify(unknown)}; there are ${known}`);
  }
  for (const bench of benches) {
    if (positionals.length > 0 && !positionals.some((name) => isCalled(bench, name))) continue;
    await bench.run(options);
  }
  if (values.json !== undefined) await saveReport(values.json);
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0; got ${JSON.stringify(text)}`);
}

/** `overhead` runs `overhead/reads` too. */
function isCalled(bench: Bench, name: string): boolean {
  return bench.name === name || bench.name.startsWith(`${name}/`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
