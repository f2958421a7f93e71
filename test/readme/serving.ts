import { expect } from 'chai';
import { Client } from '../example/client';
import { remainsOf, type Program } from '../example/program';
import { untilNothingRemains } from '../testing/support';

const address = /ready {3}GraphQL {3}(\S+)\/graphql/;

/**
 * Waits until a started example is ready, lets `ask` ask it, and ends it by `signal`: cleanly, with
 * status 0, and without a server or a folder of its own cluster left.
 */
export async function whileServing(
  program: Program,
  ask: (client: Client) => Promise<void>,
  signal: 'SIGINT' | 'SIGTERM' = 'SIGINT',
): Promise<void> {
  try {
    const client = new Client(await program.printed(address));
    const own = program.out.includes('start   a PostgreSQL primary');
    const remains = own ? await remainsOf(program) : undefined;
    await ask(client);
    if (signal === 'SIGINT') program.interrupt();
    else program.terminate();
    expect(await program.end()).to.equal(0);
    expect(program.err).to.equal('');
    expect(program.out).to.match(/\nstopped\n$/);
    if (remains) await untilNothingRemains(remains);
    expect(() => process.kill(-program.pid, 0), 'its processes').to.throw('ESRCH');
  } finally {
    program.dispose();
  }
}

/** The nodes that a started program has printed, by their addresses. */
export function nodesOf({ out }: Program): string[] {
  return [...out.matchAll(/^(?:node {4})?\w+ +(?:\S+ {2})?(postgres:\S+)$/gm)].map(
    ([, url]) => url ?? '',
  );
}
