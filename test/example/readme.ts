import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const EXAMPLE = 'example-graphql/README.md';

/** The code blocks of one language in a README, by default the example's. */
export function readmeBlocks(language: string, file = EXAMPLE): string[] {
  const readme = readFileSync(path.join(__dirname, '../..', file), 'utf8');
  return [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , text]) => (text ?? '').trim());
}

/** What a curl command of the README sends: the shell splits it, curl itself is not needed. */
export function curlArguments(command: string): {
  url: string;
  headers: Record<string, string>;
  body: string;
} {
  const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  const headers: Record<string, string> = {};
  let [url, body] = ['', ''];
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '-H') {
      const [name = '', value = ''] = (words.shift() ?? '').split(/: (.*)/);
      headers[name] = value;
    } else if (word === '-d') body = words.shift() ?? '';
    else if (word !== '-s') url = word;
  }
  return { url, headers, body };
}

/** The variables before `npm run example` in each command that starts it. */
export function startCommands(): Record<string, string>[] {
  const lines = readmeBlocks('sh').flatMap((block) => block.split('\n'));
  return lines
    .filter((line) => line.endsWith('npm run example'))
    .map((line) => {
      const assignments = line.split(' ').filter((word) => word.includes('='));
      return Object.fromEntries(
        assignments.map((word) => [word.split('=')[0] ?? '', word.slice(word.indexOf('=') + 1)]),
      );
    });
}
