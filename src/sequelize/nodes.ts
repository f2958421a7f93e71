import { OptionsError, echo } from '../errors';
import type { Connection, NodeConfig, SequelizeInternals } from './internals';
import type { ReadEntry } from './read-entry';

export const PRIMARY = 'primary';

/** Private members of Sequelize's connection manager that only this file touches. */
interface ConfiguredManager {
  readonly config: Readonly<Record<string, unknown>> & {
    readonly replication: false | { readonly write: ReadEntry; readonly read: ReadEntry[] };
  };
}

/** The nodes of one instance by name. */
export class Nodes {
  readonly #instance: SequelizeInternals;
  readonly #entries = new Map<string, ReadEntry>();
  /** Removed, with connections that are not closed yet: their names are not free. */
  readonly #leaving = new Set<string>();
  #replicas: readonly string[] = [];
  #byAddress = new Map<string, string>();
  /** Entries ever, removed ones too: the next one without a name is called after it. */
  #count = 0;

  /** @throws OptionsError when two entries of `replication.read` have the same name */
  constructor(instance: SequelizeInternals) {
    this.#instance = instance;
    // As Sequelize has filled it in: without `read` it reads where the options of the instance lead.
    for (const entry of this.#read) {
      const name = nameOf(entry, this.#count++);
      if (name === PRIMARY || this.#entries.has(name)) {
        throw new OptionsError(
          `two nodes have the name ${echo(name)}: give each entry of replication.read a name of its own.`,
        );
      }
      this.#entries.set(name, entry);
    }
    this.#index();
  }

  /**
   * Those in use, in the order of `replication.read`; empty without replication. Another array after
   * each change: who holds one may go on with it.
   */
  get replicas(): readonly string[] {
    return this.#replicas;
  }

  entryOf(replica: string): ReadEntry | undefined {
    return this.#entries.get(replica);
  }

  /**
   * Takes a replica in; what `given` leaves out comes from the instance, as for Sequelize's own
   * entries. Sequelize's list is kept the same, for when its own pools are back.
   *
   * @param given an entry that was looked at already
   * @returns its name
   * @throws OptionsError when the name is taken
   */
  add(given: ReadEntry): string {
    const name = this.#nameFor(given);
    const inherited: Record<string, unknown> = { ...this.#manager.config };
    delete inherited['replication'];
    const entry: ReadEntry = { ...inherited, ...withoutGaps(given), name };
    this.#count++;
    this.#entries.set(name, entry);
    this.#changed();
    return name;
  }

  /**
   * Takes a replica out. Its name stays taken until it is {@link free}.
   *
   * @throws OptionsError when no replica in use has this name
   */
  remove(name: unknown): asserts name is string {
    if (typeof name !== 'string' || !this.#entries.delete(name)) {
      throw new OptionsError(this.#notThere(name));
    }
    this.#leaving.add(name);
    this.#changed();
  }

  /** Its connections are closed: another replica may have the name. */
  free(name: string): void {
    this.#leaving.delete(name);
  }

  /** The node at the other end of `connection`. */
  of(connection: Connection): string {
    if (connection.queryType !== 'read') return PRIMARY;
    const address = `${connection.host ?? ''}:${connection.port ?? ''}`;
    return this.#byAddress.get(address) ?? this.#replicas[0] ?? PRIMARY;
  }

  get #manager(): ConfiguredManager {
    return this.#instance.connectionManager as unknown as ConfiguredManager;
  }

  get #read(): ReadEntry[] {
    const { replication } = this.#manager.config;
    return replication ? replication.read : [];
  }

  #changed(): void {
    const { replication } = this.#manager.config;
    if (replication) {
      const { write, read } = replication;
      // Sequelize's own pool can't do without any.
      const primary = { ...write, name: undefined };
      read.splice(0, read.length, ...(this.#entries.size > 0 ? this.#entries.values() : [primary]));
    }
    this.#index();
  }

  #index(): void {
    this.#replicas = [...this.#entries.keys()];
    this.#byAddress = new Map();
    for (const [name, entry] of this.#entries) {
      const address = addressOf(entry, this.#instance);
      // Of two entries with one address the first gives the name: they can't be told apart.
      if (!this.#byAddress.has(address)) this.#byAddress.set(address, name);
    }
  }

  #nameFor({ name }: ReadEntry): string {
    if (typeof name !== 'string') {
      for (let index = this.#count; ; index++) {
        const next = nameOf({}, index);
        if (!this.#entries.has(next) && !this.#leaving.has(next)) return next;
      }
    }
    const why = this.#takenBecause(name);
    if (why === undefined) return name;
    throw new OptionsError(
      `addReplica(config): the name ${echo(name)} is taken, ${echo(name)} ${why}. ` +
        'Give another name, or none.',
    );
  }

  #takenBecause(name: string): string | undefined {
    if (name === PRIMARY) return 'is the primary';
    if (this.#entries.has(name)) return 'is a replica in use';
    return this.#leaving.has(name) ? 'is being removed: await removeReplica first' : undefined;
  }

  #notThere(name: unknown): string {
    const list = this.#replicas.map(echo).join(', ') || 'none';
    const what =
      name === PRIMARY
        ? "the primary takes the writes and can't be removed"
        : `there is no replica ${echo(name)}`;
    return `removeReplica(name): ${what}; the replicas in use are: ${list}.`;
  }
}

function nameOf(config: NodeConfig, index: number): string {
  const name: unknown = config.name;
  return typeof name === 'string' && name !== '' ? name : `replica${index + 1}`;
}

function addressOf(config: NodeConfig, sequelize: SequelizeInternals): string {
  const host = config.host ?? sequelize.config.host ?? '';
  const port = config.port ?? sequelize.config.port ?? 5432;
  return `${host}:${port}`;
}

/** What is `undefined` is inherited, as in Sequelize. */
function withoutGaps(given: Record<string, unknown> & ReadEntry): ReadEntry {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
