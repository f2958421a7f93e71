import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from './config';

const HOST = '127.0.0.1';

/**
 * Listens on `port` (0: a free one) of this machine only, and gives the server's URL.
 * @throws ConfigError when the port is taken or may not be used
 */
export function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === undefined ? error : new ConfigError(reasonOf(error.code, port)));
    });
    server.listen(port, HOST, () => {
      resolve(`http://${HOST}:${(server.address() as AddressInfo).port}`);
    });
  });
}

function reasonOf(code: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: choose another with PORT, or any free one with PORT=0.`;
  }
  if (code === 'EACCES') return `port ${port} needs privileges: choose one from 1024 with PORT.`;
  return `can't listen on ${HOST}:${port} (${code}).`;
}
