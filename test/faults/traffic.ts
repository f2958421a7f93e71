import type { App } from './support';

const VERSIONS_EACH = 1_000_000;
let versions = 0;

/**
 * Many at a time: writers, each an operation that raises the version of a row of its own and reads it
 * back; readers outside any operation, of a table that is written now and then. Notes each statement
 * that failed, and each read that gave less than was acknowledged before it was issued.
 */
export class Traffic {
  readonly failed: unknown[] = [];
  readonly stale: string[] = [];
  reads = 0;
  readonly #app: App;
  readonly #acknowledged = new Map<string, number>();
  /** What was there before is lower than any version of this one, so that it shows. */
  readonly #first = (versions += VERSIONS_EACH);
  readonly #running: Promise<void>[];
  #on = true;

  constructor(app: App, { writers, readers }: { writers: number; readers: number }) {
    this.#app = app;
    const start = (count: number, turn: (id: number) => Promise<void>) =>
      Array.from({ length: count }, (_, index) => this.#loop(() => turn(index + 1)));
    this.#running = [
      ...start(writers, (id) => this.#writeAndReadBack(id)),
      ...start(readers, () => this.#read('rare', 1)),
      ...start(1, () => this.#writeNowAndThen()),
    ];
  }

  /** Resolves after `count` more reads, whatever became of them. */
  async pass(count: number): Promise<void> {
    const end = this.reads + count;
    while (this.#on && this.reads < end) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Resolves once every statement that was sent has got its answer. */
  async stop(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#running);
  }

  async #loop(turn: () => Promise<void>): Promise<void> {
    while (this.#on) await turn().catch((error: unknown) => this.failed.push(error));
  }

  async #writeAndReadBack(id: number): Promise<void> {
    await this.#app.reads.runOperation({ name: `writer ${id}` }, async () => {
      await this.#write('items', id);
      for (let i = 0; i < 3; i++) await this.#read('items', id);
      await this.#read('rare', 1);
    });
  }

  async #writeNowAndThen(): Promise<void> {
    await this.#write('rare', 1);
    await this.pass(40);
  }

  async #write(table: string, id: number): Promise<void> {
    const next = (this.#acknowledged.get(`${table} ${id}`) ?? this.#first) + 1;
    await this.#app.sequelize.query(`UPDATE ${table} SET version = ${next} WHERE id = ${id}`);
    this.#acknowledged.set(`${table} ${id}`, next);
  }

  async #read(table: string, id: number): Promise<void> {
    const atLeast = this.#acknowledged.get(`${table} ${id}`) ?? 0;
    try {
      const [row] = await this.#app.select<{ version: number; standby: boolean }>(
        `SELECT version, pg_is_in_recovery() AS standby FROM ${table} WHERE id = ${id}`,
      );
      const version = row?.version ?? -1;
      if (version >= atLeast) return;
      const where = row?.standby ? 'a standby' : 'the primary';
      this.stale.push(`${table} ${id} at ${version} on ${where}, ${atLeast} was acknowledged`);
    } finally {
      this.reads++;
    }
  }
}
