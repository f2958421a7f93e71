import { parseArgs } from 'node:util';
import { saveReport } from './report';

/** One benchmark: prints its tables with `report`. */
export interface Bench {
  readonly name: string;
  readonly run: () => Promise<void>;
}

const modules: Readonly<Record<string, () => Promise<{ benches: readonly Bench[] }>>> = {
  overhead: () => import('./overhead.js'),
  catchUp: () => import('./catch-up.js'),
  loaders: () => import('./loaders.js'),
  freshness: () => import('./freshness.js'),
  failover: () => import('./failover.js'),
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'string' } },
    allowPositionals: true,
  });
  const benches: Bench[] = [];
  for (const load of Object.values(modules)) benches.push(...(await load()).benches);
  const unknown = positionals.find((name) => !benches.some((bench) => isCalled(bench, name)));
  if (unknown !== undefined) {
    const known = benches.map(({ name }) => name).join(', ');
    throw new Error(`there is no benchmark ${JSON.stringify(unknown)}; there are ${known}`);
  }
  for (const bench of benches) {
    if (positionals.length > 0 && !positionals.some((name) => isCalled(bench, name))) continue;
    await bench.run();
  }
  if (values.json !== undefined) await saveReport(values.json);
}

/** `overhead` runs `overhead/reads` too. */
function isCalled(bench: Bench, name: string): boolean {
  return bench.name === name || bench.name.startsWith(`${name}/`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
