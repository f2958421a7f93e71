import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Program } from '../example/program';
import { root } from './markdown';

const NAME = 'sequelize-fresh-reads';

/** A folder as a user of the package has one: the package installed, what it works with beside it. */
export class UserProject {
  readonly path = mkdtempSync(path.join(tmpdir(), 'fresh-reads-project-'));

  /** Builds the package into it. */
  static async create(): Promise<UserProject> {
    const project = new UserProject();
    try {
      await project.#install();
      return project;
    } catch (error) {
      project.remove();
      throw error;
    }
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  async #install(): Promise<void> {
    const modules = path.join(this.path, 'node_modules');
    mkdirSync(path.join(modules, '.bin'), { recursive: true });
    for (const name of readdirSync(path.join(root, 'node_modules'))) {
      if (name.startsWith('.') || name === NAME) continue;
      symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
    }
    const installed = path.join(modules, NAME);
    cpSync(path.join(root, 'package.json'), path.join(installed, 'package.json'));
    const entry = path.join(installed, 'dist/cli/index.js');
    symlinkSync(entry, path.join(modules, '.bin/fresh-reads'));
    const compiler = [process.execPath, require.resolve('typescript/bin/tsc')] as const;
    const target = ['-p', 'tsconfig.build.json', '--outDir', path.join(installed, 'dist')];
    // The build of the package, less what makes it slow: only the programs are needed here.
    const only = ['--noCheck', '--declaration', 'false', '--declarationMap', 'false'];
    const build = new Program([...compiler, ...target, ...only], {});
    expect(await build.end(), build.out).to.equal(0);
    // As npm does for the programs of a package.
    chmodSync(entry, 0o755);
  }
}
