import { existsSync } from 'node:fs';
import path from 'node:path';
import type * as main from '../../src';
import type * as dataloader from '../../src/dataloader';

/** What the workload uses of the package. */
export interface LoadedPackage {
  readonly main: typeof main;
  readonly dataloader: typeof dataloader;
}

/** The package as it is published. */
export const builtPackage = path.join(__dirname, '../..', 'dist');

/**
 * Loads the package from a folder of compiled JavaScript.
 *
 * @throws Error when there is none
 */
export async function loadPackage(folder: string): Promise<LoadedPackage> {
  const load = async <Module>(...parts: string[]): Promise<Module> => {
    const file = path.join(folder, ...parts, 'index.js');
    if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build first`);
    const loaded = (await import(file)) as Module & { default?: Module };
    return loaded.default ?? loaded;
  };
  return {
    main: await load<typeof main>(),
    dataloader: await load<typeof dataloader>('dataloader'),
  };
}
