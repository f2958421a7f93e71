import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { Program } from '../example/program';
import { freeNames } from './free-names';
import { blocksOf, documents, root } from './markdown';

/** Every name that a block imports or declares at its top. */
function namesMadeBy(block: string): Set<string> {
  const names = new Set<string>();
  const add = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    else if (ts.isBindingElement(node)) add(node.name);
    else if (ts.isObjectBindingPattern(node) || ts.isArrayBindingPattern(node)) {
      node.elements.forEach(add);
    }
  };
  for (const statement of ts.createSourceFile('block.ts', block, ts.ScriptTarget.ES2022)
    .statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) add(name);
    } else if (ts.isImportDeclaration(statement)) {
      const clause = statement.importClause;
      if (clause?.name) add(clause.name);
      const bindings = clause?.namedBindings;
      if (bindings && ts.isNamedImports(bindings))
        bindings.elements.forEach(({ name }) => add(name));
      else if (bindings) add(bindings.name);
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      if (statement.name) add(statement.name);
    }
  }
  return names;
}

/** A block with what it leaves out, which stands on its first line: the numbers of lines stay true. */
function completed(block: string): string {
  const made = namesMadeBy(block);
  const missing = Object.entries(freeNames).filter(
    ([name]) => new RegExp(`\\b${name}\\b`).test(block) && !made.has(name),
  );
  return `${missing.map(([, declaration]) => declaration).join(' ')} export {}; ${block}\n`;
}

describe('the TypeScript of the READMEs and the docs', function () {
  this.timeout(120_000);
  const blocks = documents.flatMap((document) =>
    blocksOf(document, 'ts', 'typescript', 'js', 'javascript').map((block, index) => ({
      file: `${document.replace(/\W/g, '-')}-${index + 1}.mts`,
      title: `${document}, block ${index + 1}: ${block.split('\n')[0]}`,
      block,
    })),
  );
  let output = '';

  before(async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'fresh-reads-blocks-'));
    try {
      symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
      for (const { file, block } of blocks) {
        writeFileSync(path.join(folder, file), completed(block));
      }
      const config = {
        extends: path.join(root, 'tsconfig.json'),
        compilerOptions: {
          types: ['node'],
          typeRoots: [path.join(root, 'node_modules/@types')],
          // Stricter than `strict`, as this repository is, nobody's project has to be.
          noPropertyAccessFromIndexSignature: false,
          noUncheckedIndexedAccess: false,
        },
        include: ['*.mts'],
      };
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
      const compiler = [process.execPath, require.resolve('typescript/bin/tsc')] as const;
      const program = new Program([...compiler, '--pretty', 'false', '-p', folder], {}, folder);
      const status = await program.end();
      output = program.out;
      if (status !== 0 && !output.includes('.mts(')) throw new Error(output + program.err);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  for (const { file, title } of blocks) {
    it(`compiles: ${title}`, () => {
      const complaints = output.split('\n').filter((line) => line.startsWith(`${file}(`));
      expect(
        complaints,
        'a name that is missing goes into test/readme/free-names.ts',
      ).to.deep.equal([]);
    });
  }
});
