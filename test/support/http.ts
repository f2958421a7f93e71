import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CookieJar } from './cookie-jar';

export interface TestServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves on a free port of this machine only. */
export async function serve(listener: RequestListener): Promise<TestServer> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A client with a cookie jar. Each request carries the cookies of the moment at which it is made. */
export class Client {
  readonly jar = new CookieJar();

  constructor(readonly url: string) {}

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(this.url + path, {
      ...init,
      headers: { ...this.jar.headers(), ...(init.headers as Record<string, string> | undefined) },
    });
    this.jar.take(response.headers.getSetCookie());
    return response;
  }

  async get<T = unknown>(path: string, headers: Record<string, string> = {}): Promise<T> {
    return (await (await this.fetch(path, { headers })).json()) as T;
  }

  async post<T = unknown>(path: string, body: unknown = {}): Promise<T> {
    const response = await this.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as T;
  }
}
