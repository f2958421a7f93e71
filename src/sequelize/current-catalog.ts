import { loadCatalog, readFingerprint, type Catalog, type CatalogQuery } from '../catalog';
import { now } from '../clock';
import { loadParser } from '../statement';
import { analyseBody } from './facts';

const FINGERPRINT_INTERVAL_MS = 2000;
/** A part that can't be read is tried again, ever less often. */
const LONGEST_GAP_MS = 60_000;
const RETRY_INTERVAL_MS = 1000;
const MOST_MISSING = 1000;

export interface CurrentCatalogParts {
  /** Runs a statement of ours on the primary. */
  readonly query: CatalogQuery;
  readonly relatedTables: Readonly<Record<string, readonly string[]>>;
  readonly warn: (message: string) => void;
  /** A catalog was read and is in use from now on. */
  readonly onUse: (catalog: Catalog) => void;
  /** Another process has changed the catalog. */
  readonly onForeignChange: () => void;
}

/** Keeps the catalog as current as it can be, and says when it is not to be believed. */
export class CurrentCatalog {
  readonly #parts: CurrentCatalogParts;
  #catalog: Catalog | undefined;
  #loading: Promise<void> | undefined;
  #reloadWanted = false;
  /** Changes under way that a reading of the catalog can't have seen. */
  #changes = 0;
  /** Names that the newest reading did not have either: no reason to read again. */
  readonly #knownMissing = new Set<string>();
  #checkedAt = 0;
  #checkGapMs = FINGERPRINT_INTERVAL_MS;
  #failedAt = -Infinity;
  #closed = false;

  constructor(parts: CurrentCatalogParts) {
    this.#parts = parts;
  }

  /** What is known, also while a change is under way. */
  get latest(): Catalog | undefined {
    return this.#catalog;
  }

  /** What is known for certain: `undefined` before the first reading and while it changes. */
  get certain(): Catalog | undefined {
    return this.#changes > 0 ? undefined : this.#catalog;
  }

  /** Reads the catalog if that has not been done, or waits for a reading under way. Rejects when it can't be read. */
  async ready(): Promise<void> {
    if (this.#catalog && !this.#loading) return;
    await (this.#loading ?? this.reload());
  }

  /** Reads the catalog anew, also when a reading is under way that may have begun too early. */
  reload(): Promise<void> {
    if (this.#loading) {
      this.#reloadWanted = true;
      return this.#loading;
    }
    this.#loading = this.#loadUntilCurrent();
    return this.#loading;
  }

  async #loadUntilCurrent(): Promise<void> {
    try {
      do await this.#load();
      while (this.#wantsReload());
    } catch (error) {
      // Once closed nobody needs it any more, whatever it was that failed.
      if (!this.#closed) throw error;
    } finally {
      // At once: who asks a moment later must not wait for a reading that is over.
      this.#loading = undefined;
    }
  }

  /** Begins to read the catalog, for whoever does not wait for it. */
  start(): void {
    if (this.#catalog || this.#loading || this.#closed) return;
    if (now() - this.#failedAt < RETRY_INTERVAL_MS) return;
    this.reload().catch((error: unknown) => this.#complain(error));
  }

  /** Resolves when nothing runs in the background any more. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#loading?.catch(() => undefined);
  }

  /** A statement that changes the catalog is about to be sent: until its end nothing is certain. */
  changeBegins(): void {
    this.#changes++;
  }

  /** The change is over. After a commit the catalog is read anew before it is believed again. */
  changeEnds(committed: boolean): void {
    if (committed && !this.#closed) {
      this.#knownMissing.clear();
      this.#reloadAndEnd();
    } else {
      this.#changes--;
    }
  }

  /**
   * Looks whether a statement that ran unreadable code has changed the catalog. On the connection
   * that it ran on: with one of its own it could wait for the pool that this one is missing from.
   */
  async look(query: CatalogQuery): Promise<void> {
    const catalog = this.#catalog;
    if (!catalog || this.#closed) return;
    const fingerprint = await readFingerprint(query).catch(() => undefined);
    if (fingerprint === catalog.fingerprint || this.#catalog !== catalog) return;
    this.changeBegins();
    this.changeEnds(true);
  }

  /** Once closed no further question is asked: a reading under way ends there. */
  readonly #query: CatalogQuery = (sql) =>
    this.#closed ? Promise.reject(new Error('closed')) : this.#parts.query(sql);

  #reloadAndEnd(): void {
    void this.reload()
      .catch((error: unknown) => {
        this.#catalog = undefined;
        this.#complain(error);
      })
      .finally(() => {
        this.#changes--;
      });
  }

  async #load(): Promise<void> {
    this.#reloadWanted = false;
    await loadParser();
    const catalog = await loadCatalog(this.#query, {
      analyseBody,
      // What a reading that was cut short did not find says nothing about the database.
      onWarning: (message) => {
        if (!this.#closed) this.#parts.warn(message);
      },
      relatedTables: this.#parts.relatedTables,
    });
    if (this.#closed) return;
    this.#checkedAt = now();
    this.#catalog = catalog;
    this.#parts.onUse(catalog);
  }

  #wantsReload(): boolean {
    return this.#reloadWanted && !this.#closed;
  }

  /** Another process may run a migration: look, at most every few seconds, and only after writes. */
  checkFingerprint(): void {
    const catalog = this.#catalog;
    if (!catalog || this.#closed || now() - this.#checkedAt < this.#checkGapMs) return;
    this.#checkedAt = now();
    if (catalog.incomplete) {
      this.#checkGapMs = Math.min(2 * this.#checkGapMs, LONGEST_GAP_MS);
      this.#reloadSoon();
      return;
    }
    this.#checkGapMs = FINGERPRINT_INTERVAL_MS;
    readFingerprint(this.#query).then(
      (fingerprint) => {
        if (fingerprint === catalog.fingerprint || this.#catalog !== catalog) return;
        this.#parts.onForeignChange();
        this.#reloadSoon();
      },
      // The next write asks again; what is known stays as good as it was a moment ago.
      (error: unknown) => this.#complain(error),
    );
  }

  /** A name that the catalog does not have may be younger than our reading of it. */
  lookFor(missing: readonly string[]): void {
    if (missing.length === 0 || missing.every((name) => this.#knownMissing.has(name))) return;
    if (this.#knownMissing.size > MOST_MISSING) this.#knownMissing.clear();
    for (const name of missing) this.#knownMissing.add(name);
    this.#reloadSoon();
  }

  #reloadSoon(): void {
    if (this.#loading || this.#closed) return;
    this.#changes++;
    this.#reloadAndEnd();
  }

  #complain(error: unknown): void {
    this.#failedAt = now();
    if (this.#closed) return;
    const message = error instanceof Error ? error.message : String(error);
    this.#parts.warn(
      `the database catalog could not be read (${message}): every write counts as a write to every table until it can be.`,
    );
  }
}
