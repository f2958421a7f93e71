import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as source from '../src';

type Package = typeof source;

/**
 * The package as it is published. What runs the benchmarks turns every imported name of the sources
 * into a call of a getter, which costs more than the work that is to be measured.
 */
export async function builtPackage(): Promise<Package> {
  const file = join(__dirname, '..', 'dist', 'index.js');
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build first`);
  const loaded = (await import(file)) as Package & { default?: Package };
  return loaded.default ?? loaded;
}
