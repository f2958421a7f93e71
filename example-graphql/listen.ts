import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from './config';

/**
 * Listens on `port` (0: a free one) of the address `host`, and gives the server's URL.
 * @throws ConfigError when the port is taken or may not be used, or the address is none of ours
 */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === undefined ? error : new ConfigError(reasonOf(error.code, host, port)));
    });
    server.listen(port, host, () => {
      resolve(`http://${host}:${(server.address() as AddressInfo).port}`);
    });
  });
}

/**
 * Listens for a moment: what is wrong with the port is said before the database is filled for nothing.
 * @throws ConfigError as `listen` would
 */
export async function tryPort(host: string, port: number): Promise<void> {
  const server = createServer();
  await listen(server, host, port);
  server.close();
  await once(server, 'close');
}

function reasonOf(code: string, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: choose another with PORT, or any free one with PORT=0.`;
  }
  if (code === 'EACCES') return `port ${port} needs privileges: choose one from 1024 with PORT.`;
  return `can't listen on ${host}:${port} (${code}): choose another address with HOST, another port with PORT.`;
}
