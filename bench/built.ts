import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as source from '../src';
import type * as apollo from '../src/apollo';

/**
 * The package as it is published. What runs the benchmarks turns every imported name of the sources
 * into a call of a getter, which costs more than the work that is to be measured.
 */
export function builtPackage(): Promise<typeof source> {
  return built('index.js');
}

/** The same of its door for Apollo Server. */
export function builtApollo(): Promise<typeof apollo> {
  return built('apollo', 'index.js');
}

async function built<Module extends object>(...path: string[]): Promise<Module> {
  const file = join(__dirname, '..', 'dist', ...path);
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build first`);
  const loaded = (await import(file)) as Module & { default?: Module };
  return loaded.default ?? loaded;
}
