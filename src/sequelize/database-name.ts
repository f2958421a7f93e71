import type { CatalogQuery } from '../catalog';
import { alarm, now } from '../clock';

// The same in all processes, whatever host and name they reach the database by.
const NAME = `
SELECT (SELECT system_identifier::text FROM pg_catalog.pg_control_system()) AS system,
       oid || '/' || datname AS name
  FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()`;

const RETRY_INTERVAL_MS = 1000;
/** Where the role may not ask, or the server has no such function, it stays so. */
const REFUSALS: ReadonlySet<unknown> = new Set(['42501', '42883', '0A000']);

/** Finds out which database an instance is connected to, once somebody wants to know. */
export class DatabaseName {
  readonly #query: CatalogQuery;
  readonly #systemNow: () => string | undefined;
  #found: { readonly system: string; readonly name: string } | undefined;
  #asking: Promise<void> | undefined;
  #askAgainAt = -Infinity;

  /** @param systemNow the cluster that the primary belongs to, where that is known */
  constructor(query: CatalogQuery, systemNow: () => string | undefined) {
    this.#query = query;
    this.#systemNow = systemNow;
  }

  /** `undefined` while it is not known, and where it can't be. */
  get known(): string | undefined {
    if (!this.#found) return undefined;
    const { system, name } = this.#found;
    // The address may lead to another cluster by now.
    return system === (this.#systemNow() ?? system) ? `${system}/${name}` : undefined;
  }

  /** Whether it is worth waiting for. */
  get isAwaited(): boolean {
    if (this.known !== undefined) return false;
    return this.#asking !== undefined || now() >= this.#askAgainAt;
  }

  /** Resolves when it is known, and also when it can't be found out soon. Never rejects. */
  async whenKnown(atMostMs: number): Promise<void> {
    if (!this.isAwaited) return;
    this.#asking ??= this.#ask();
    let timer: { cancel(): void } | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = alarm(atMostMs, resolve);
    });
    await Promise.race([this.#asking, tooLong]);
    timer?.cancel();
  }

  async #ask(): Promise<void> {
    this.#askAgainAt = now() + RETRY_INTERVAL_MS;
    try {
      const [row] = await this.#query(NAME);
      this.#found = { system: String(row?.['system']), name: String(row?.['name']) };
    } catch (error) {
      if (REFUSALS.has((error as { code?: unknown }).code)) this.#askAgainAt = Infinity;
    } finally {
      this.#asking = undefined;
    }
  }
}
