import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { ClusterError } from '../errors';

// Below the range from which systems take the local ports of outgoing connections (32768 on Linux,
// 49152 elsewhere): none of those can take the port of a node while the node is stopped.
const lowest = 15_000;
const highest = 32_000;

/** A TCP port on 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new ClusterError(`found no free port between ${lowest} and ${highest} on 127.0.0.1`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      probe.close(() => resolve(true));
    });
  });
}
