import type { Answer } from '../example/client';
import type { Command } from './command';

/**
 * Sends what a curl command sends to `origin`, in place of the address it names: curl itself is not
 * needed. Throws for an option that is not known here.
 */
export async function sendAsCurl({ words }: Command, origin: string): Promise<Answer> {
  const headers: Record<string, string> = {};
  let [url, body] = ['', ''];
  const rest = words.slice(1);
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (word === '-H') {
      const [name = '', value = ''] = (rest.shift() ?? '').split(/: (.*)/);
      headers[name] = value;
    } else if (word === '-d') body = rest.shift() ?? '';
    else if (word.startsWith('http://')) url = word;
    else if (word !== '-s') throw new Error(`curl's ${word} has to be understood here first`);
  }
  const { pathname } = new URL(url);
  const response = await fetch(origin + pathname, { method: 'POST', headers, body });
  return (await response.json()) as Answer;
}
