import { cpSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { Command } from './command';
import { root } from './markdown';

const FILES = [
  'package.json',
  '.npmrc',
  'tsconfig.json',
  'tsconfig.build.json',
  'README.md',
  'LICENSE',
  'docs',
  'scripts',
  'src',
  'chaos',
  'test/support',
];

type Result = ReturnType<Command['run']>;

/** A copy of this repository as far as the package is made of it, to build it in. */
export class Clone {
  #built: Result | undefined;
  #packed: Result | undefined;

  constructor(readonly folder: string) {
    for (const file of FILES) {
      cpSync(path.join(root, file), path.join(folder, file), { recursive: true });
    }
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  }

  /** What `npm run build` said, which leaves the checking of types to the check of every change. */
  build(): Result {
    const more = ['--', '--noCheck'];
    this.#built ??= new Command('npm run build').run({ cwd: this.folder, more });
    return this.#built;
  }

  /** What `npm pack` said, of a clone that is built: the name of the tarball last. */
  async pack(): Result {
    await this.build();
    return (this.#packed ??= new Command('npm pack').run({ cwd: this.folder }));
  }

  async tarball(): Promise<string> {
    const { out } = await this.pack();
    return path.join(this.folder, out.trim());
  }
}
