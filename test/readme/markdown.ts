import { readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.join(__dirname, '../..');

/** In the order in which they are read. */
export const readmes = ['README.md', 'example-graphql/README.md'] as const;

export type Readme = (typeof readmes)[number];

/** Whatever has blocks in TypeScript. */
export const documents = [
  ...readmes,
  'docs/loaders.md',
  'docs/operations-and-sessions.md',
] as const;

export type Document = (typeof documents)[number];

const fence = /^```(\w+)\n([\s\S]*?)^```$/gm;
const shells = ['sh', 'bash', 'shell', 'console'];

/** Inline code that begins like this is a command, not a name. */
const command =
  /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|tsx|mocha|curl|git|docker|docker-compose|psql|export|scripts\/\S+|\.ci\/\S+) /;

/** The code blocks in one of these languages, in order. */
export function blocksOf(document: Document, ...languages: string[]): string[] {
  return [...textOf(document).matchAll(fence)]
    .filter(([, language = '']) => languages.includes(language))
    .map(([, , text = '']) => text.trim());
}

/** Every command that a README names, in a block for the shell or within a sentence: each once. */
export function commandsOf(readme: Readme): string[] {
  const inline = [
    ...textOf(readme)
      .replace(fence, '')
      .matchAll(/`([^`]+)`/g),
  ]
    .map(([, code = '']) => code.replace(/\s+/g, ' '))
    .filter((code) => command.test(`${code} `));
  const lines = blocksOf(readme, ...shells).flatMap((block) =>
    block.replace(/\\\n/g, ' ').split('\n'),
  );
  const commands = [...lines, ...inline]
    .map((line) => line.replace(/(^|\s)#\s.*$/, ''))
    .flatMap((line) => line.split('&&'))
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return [...new Set(commands)];
}

/** Where the links and images of a document lead within the repository. */
export function linksOf(document: Document): string[] {
  const links = [...textOf(document).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, to = '']) => to);
  return links.filter((to) => !to.includes('://'));
}

/** The rows of the first table under a heading, without its head: the text of each cell. */
export function tableUnder(document: Document, heading: string): string[][] {
  const lines = textOf(document).split('\n');
  const section = lines.slice(lines.indexOf(heading));
  const from = section.findIndex((line) => line.startsWith('|'));
  const length = section.slice(from).findIndex((line) => !line.startsWith('|'));
  return section.slice(from + 2, from + length).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function textOf(document: Document): string {
  return readFileSync(path.join(root, document), 'utf8');
}
