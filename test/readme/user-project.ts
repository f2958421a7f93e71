import { chmodSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { Program } from '../example/program';
import { root } from './markdown';

/**
 * Makes `folder` a project that has the package installed from `tarball`, and `beside` it. No
 * registry is asked: what npm would fetch is linked from here, and nothing else can be loaded.
 */
export async function makeUserProject(
  folder: string,
  tarball: string,
  beside: readonly string[],
): Promise<void> {
  const modules = path.join(folder, 'node_modules');
  const installed = path.join(modules, 'sequelize-fresh-reads');
  mkdirSync(path.join(modules, '.bin'), { recursive: true });
  mkdirSync(installed);
  const unpack = ['-xzf', tarball, '-C', installed, '--strip-components=1'];
  expect(await new Program(['tar', ...unpack], {}).end(), tarball).to.equal(0);
  const { bin, dependencies } = JSON.parse(
    readFileSync(path.join(installed, 'package.json'), 'utf8'),
  ) as Record<'bin' | 'dependencies', Record<string, string>>;
  for (const [name, file] of Object.entries(bin)) {
    const program = path.join(installed, file);
    chmodSync(program, 0o755);
    symlinkSync(program, path.join(modules, '.bin', name));
  }
  for (const name of new Set([...Object.keys(dependencies), ...beside])) {
    // A name may have a scope, which is a folder.
    const link = path.join(modules, name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), link);
  }
}
