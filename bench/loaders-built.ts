import { join } from 'node:path';
import type * as source from '../src/dataloader';

type Subpath = typeof source;

/** The loaders as they are published, for the same reason as the package itself. */
export async function builtLoaders(): Promise<Subpath> {
  const file = join(__dirname, '..', 'dist', 'dataloader', 'index.js');
  const loaded = (await import(file)) as Subpath & { default?: Subpath };
  return loaded.default ?? loaded;
}
