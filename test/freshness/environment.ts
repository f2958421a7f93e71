import { Client } from 'pg';
import { now } from '../../src/clock';
import type { NodeConnection, ProbeConnection, ProbeEnvironment } from '../../src/freshness';
import type { Cluster, ClusterNode } from '../../src/testing';
import { until } from '../../src/testing/poll';

export interface Login {
  readonly user: string;
  readonly password: string;
}

type Rows = Record<string, unknown>[];

/** A connection as an application has it, which doubles as one that a policy may question. */
export class TestConnection implements NodeConnection {
  private constructor(
    readonly client: Client,
    readonly processId: number | null,
  ) {}

  static async open(node: ClusterNode, login: Login = node): Promise<TestConnection> {
    const { host, port, database } = node;
    const { user, password } = login;
    const client = new Client({ host, port, database, user, password, ssl: false });
    client.on('error', () => undefined);
    await client.connect();
    return new TestConnection(client, (client as unknown as { processID: number }).processID);
  }

  async query(sql: string): Promise<Rows> {
    return (await this.client.query<Record<string, unknown>>(sql)).rows;
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

export interface Question {
  readonly node: string;
  readonly sql: string;
  readonly at: number;
}

/** The world of a policy over a real cluster: real connections, each question noted. */
export class TestEnvironment implements ProbeEnvironment {
  readonly primary = 'primary';
  readonly replicas: readonly string[];
  readonly questions: Question[] = [];
  readonly opened: string[] = [];
  readonly warnings: string[] = [];
  readonly changed: string[] = [];
  /** Where a name leads to; tests point a name at another server. */
  readonly servers = new Map<string, ClusterNode>();
  login: Login | undefined;
  /** Announced in the place of the real process id, as a proxy does. */
  processId: number | undefined;
  readonly #open = new Set<Client>();
  #time = 0;

  constructor(cluster: Cluster, replicas: readonly ClusterNode[] = cluster.replicas) {
    this.replicas = replicas.map(({ name }) => name);
    for (const node of [cluster.primary, ...replicas]) this.servers.set(node.name, node);
  }

  /** Open probe connections. */
  get open(): number {
    return this.#open.size;
  }

  async openProbe(name: string): Promise<ProbeConnection> {
    this.opened.push(name);
    const { client, processId } = await TestConnection.open(this.servers.get(name)!, this.login);
    this.#open.add(client);
    let closed = false;
    client.once('end', () => this.#open.delete(client));
    return {
      processId: this.processId ?? processId,
      query: async (sql) => {
        this.questions.push({ node: name, sql, at: now() });
        return (await client.query<Record<string, unknown>>(sql)).rows;
      },
      onLost: (fn) => client.once('end', () => closed || fn()),
      close: async () => {
        closed = true;
        (
          client as unknown as { connection: { stream: { destroy(): void } } }
        ).connection.stream.destroy();
        this.#open.delete(client);
      },
    };
  }

  logicalTime(): number {
    return this.#time;
  }

  /** A commit that was acknowledged just now. */
  commit(): { seq: number; at: number } {
    return { seq: ++this.#time, at: now() };
  }

  onWarning(message: string): void {
    this.warnings.push(message);
  }

  onNodeChanged(node: string): void {
    this.changed.push(node);
  }

  asked(node: string): number {
    return this.questions.filter((question) => question.node === node).length;
  }

  /** Resolves once no question was asked for a while, in which any due one would have been. */
  async rest(): Promise<void> {
    let count = -1;
    let since = now();
    await until(
      () => `probes rest; asked so far: ${this.questions.length}`,
      () => {
        if (count !== this.questions.length) {
          count = this.questions.length;
          since = now();
        }
        return now() - since > 150;
      },
      20_000,
    );
  }
}
