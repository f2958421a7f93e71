import { once } from 'node:events';
import {
  createConnection,
  createServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';

/** A TCP proxy on 127.0.0.1 in front of servers there, that can do what networks do. */
export class TcpProxy {
  /** The ports that new connections lead to, in turn. */
  targets: readonly number[];
  /** New connections are closed at once, as by a port that nobody listens on. */
  refusing = false;
  #stalled = false;
  readonly #kept: (() => void)[] = [];
  #turn = 0;
  readonly #server: Server;
  /** Connections taken so far. */
  accepted = 0;
  readonly #pairs = new Set<{ client: Socket; server: Socket }>();

  private constructor(targets: readonly number[]) {
    this.targets = targets;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(...targets: number[]): Promise<TcpProxy> {
    const proxy = new TcpProxy(targets);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Where new connections lead; those that are open stay where they are. */
  set target(port: number) {
    this.targets = [port];
  }

  /** Connections that are open. */
  get open(): number {
    return this.#pairs.size;
  }

  dropAll(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  /** From now on nothing passes: a black hole. What is sent is kept. */
  stall(): void {
    this.#stalled = true;
  }

  flow(): void {
    this.#stalled = false;
    for (const pass of this.#kept.splice(0)) pass();
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.dropAll();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    if (this.refusing) {
      client.on('error', () => undefined);
      client.destroy();
      return;
    }
    const port = this.targets[this.#turn++ % this.targets.length] ?? 0;
    const pair = { client, server: createConnection(port, '127.0.0.1') };
    this.#pairs.add(pair);
    this.accepted++;
    const { server } = pair;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (data) => {
        const pass = () => {
          if (!to.destroyed) to.write(data);
        };
        if (this.#stalled) this.#kept.push(pass);
        else pass();
      });
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#pairs.delete(pair);
        to.destroy();
      });
    }
  }
}
