import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { MUTANTS, type Mutant, type Patch } from './mutants';

const SOURCE = path.join(__dirname, '..', 'src');
const MODULES = path.join(__dirname, '..', 'node_modules');

/** A rule can't be taken away: the source has changed, and the patch with it has to. */
export class MutantError extends Error {}

/** @throws MutantError for a name that no mutant has */
export function mutantCalled(name: string): Mutant {
  const mutant = MUTANTS.find((known) => known.name === name);
  if (mutant) return mutant;
  const names = MUTANTS.map((known) => known.name).join(', ');
  throw new MutantError(`there is no rule ${JSON.stringify(name)} to break; there are: ${names}`);
}

/**
 * The package with a mutant's patches applied, compiled into a temporary folder.
 *
 * @throws MutantError when a patch does not fit
 */
export async function compileMutant(
  mutant: Mutant,
): Promise<{ folder: string; remove: () => Promise<void> }> {
  const patched = await patchedSources(mutant);
  const parent = await mkdtemp(path.join(tmpdir(), 'fresh-reads-chaos-'));
  const remove = () => rm(parent, { recursive: true, force: true });
  try {
    await symlink(MODULES, path.join(parent, 'node_modules'));
    await writeFile(path.join(parent, 'package.json'), '{ "type": "commonjs" }');
    const folder = path.join(parent, 'dist');
    const files = await readdir(SOURCE, { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const text = patched.get(file) ?? (await readFile(path.join(SOURCE, file), 'utf8'));
      const to = path.join(folder, file.replace(/\.ts$/, '.js'));
      await mkdir(path.dirname(to), { recursive: true });
      await writeFile(to, ts.transpileModule(text, { compilerOptions: COMPILER }).outputText);
    }
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * The files that a mutant changes, as it changes them.
 *
 * @throws MutantError when a patch does not fit
 */
export async function patchedSources(mutant: Mutant): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const patch of mutant.patches) {
    const file = path.normalize(patch.file);
    const text = texts.get(file) ?? (await readFile(path.join(SOURCE, file), 'utf8'));
    texts.set(file, apply(text, patch, mutant));
  }
  return texts;
}

const COMPILER: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.CommonJS,
  esModuleInterop: true,
};

function apply(text: string, { file, find, replace }: Patch, { name }: Mutant): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0) {
    const times = after === undefined ? 'nowhere' : 'more than once';
    throw new MutantError(
      `${name}: ${JSON.stringify(find)} is ${times} in src/${file}; the patch in chaos/mutants.ts has to follow the source`,
    );
  }
  return before + replace + after;
}
