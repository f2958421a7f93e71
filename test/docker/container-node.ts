import { Client } from 'pg';
import type { StartedTestContainer } from 'testcontainers';
import { until } from '../../src/testing/poll';

const PORT = 5432;

/** A PostgreSQL server in a container. */
export class ContainerNode {
  readonly user = 'postgres';
  readonly database = 'postgres';
  #paused = false;

  constructor(
    readonly name: string,
    readonly password: string,
    private readonly container: StartedTestContainer,
  ) {}

  get host(): string {
    return this.container.getHost();
  }

  get port(): number {
    return this.container.getMappedPort(PORT);
  }

  /** Whether replay was paused by {@link pause}. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Runs one statement over a connection of its own. */
  async query(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const { host, port, user, password, database } = this;
    const client = new Client({ host, port, user, password, database });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
      return rows;
    } finally {
      await client.end();
    }
  }

  /** Stops replay: from here on this replica answers with what it has. */
  async pause(): Promise<void> {
    await this.query('SELECT pg_wal_replay_pause()');
    this.#paused = true;
    await this.#untilReplayIs('paused');
  }

  async resume(): Promise<void> {
    await this.query('SELECT pg_wal_replay_resume()');
    this.#paused = false;
    await this.#untilReplayIs('not paused');
  }

  async stop(): Promise<void> {
    await this.container.stop({ timeout: 0 });
  }

  async #untilReplayIs(state: string): Promise<void> {
    await until(`replay of ${this.name} is ${state}`, async () => {
      const [row] = await this.query('SELECT pg_get_wal_replay_pause_state() AS state');
      return row?.['state'] === state;
    });
  }
}
