import { now } from '../clock';
import type { FreshnessPolicy } from '../freshness';
import type { Frame, History, Ledger, Operation, TableEntry } from '../operation';

/** What is known of a table, but who wrote it. */
export type CarriedEntry = Omit<TableEntry, 'writer'>;
/** What is live for somebody: the entries, and the tables that they are of. */
export interface LiveTables {
  readonly entries: readonly TableEntry[];
  readonly tables: readonly string[];
}

/** The tables as they were last listed, since they seldom change from one read to the next. */
interface Seen {
  version: number;
  live: LiveTables;
}

const NO_TABLES: LiveTables = Object.freeze({
  entries: Object.freeze([]),
  tables: Object.freeze([]),
});

/** The books as they stand: what has expired everywhere is taken out before anybody looks. */
export class LiveWrites {
  readonly #ledger: Ledger;
  readonly #policy: FreshnessPolicy;
  readonly #processSeen = firstLook();
  #prunedAt = -Infinity;
  #pruned: Operation | undefined;

  constructor(ledger: Ledger, policy: FreshnessPolicy) {
    this.#ledger = ledger;
    this.#policy = policy;
  }

  /** Those that count for the code in `frame`, one entry a table and scope. */
  of(frame: Frame): LiveTables {
    const { operation } = frame;
    if (this.#ledger.isEmptyFor(operation)) return NO_TABLES;
    this.#prune(operation);
    // Then it is not the same for all of the operation.
    if (this.#ledger.tellsFieldsApart && operation) return liveTables(this.#ledger.scopes(frame));
    const seen = operation ? operation.state(this, firstLook) : this.#processSeen;
    const version = this.#versionOf(operation);
    if (seen.version !== version) {
      seen.version = version;
      seen.live = liveTables(this.#ledger.scopes(frame));
    }
    return seen.live;
  }

  /** Those of `operation` itself. */
  ofOperation(operation: Operation): TableEntry[] {
    this.#prune(operation);
    return [...(this.#ledger.peek(operation)?.entries() ?? [])];
  }

  /**
   * Those that the client of `operation` has to carry along: of it, of what it follows, and of code
   * that may have lost its context, if they are no older than it. Also what has expired here but has
   * not reached a replica that is out of use here: another process may be using it.
   */
  ofClient(operation: Operation): CarriedEntry[] {
    this.#prune(operation);
    let { beganAt } = operation;
    const own: CarriedEntry[] = [];
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      beganAt = Math.min(beganAt, op.beganAt);
      const history = this.#ledger.peek(op);
      if (history) own.push(...history.entries(), ...this.#settled(history));
    }
    const { orphans } = this.#ledger;
    const lost = [...orphans.entries(), ...this.#settled(orphans)].filter((entry) => {
      const open = entry.inFlight + entry.uncommitted > 0;
      return (open ? entry.openSince : (entry.newest?.at ?? 0)) >= beganAt;
    });
    return [...own, ...lost];
  }

  #settled(history: History): CarriedEntry[] {
    const marks = history.settled((mark) => this.#policy.isEverywhere(mark));
    return [...marks].map(([table, newest]) => ({
      table,
      inFlight: 0,
      uncommitted: 0,
      openSince: 0,
      newest,
    }));
  }

  /** Those of this process. */
  ofProcess(): TableEntry[] {
    this.#prune(undefined);
    return [...this.#ledger.process.entries()];
  }

  /** Whether `node` is known to show all that is known to be written of a table. */
  shownBy(node: string, { inFlight, uncommitted, newest }: TableEntry): boolean {
    if (inFlight > 0 || uncommitted > 0) return false;
    return newest === undefined || this.#policy.shows(node, newest);
  }

  /** Grows whenever a table is added to or removed from what counts for `operation`. */
  #versionOf(operation: Operation | undefined): number {
    if (!operation) return this.#ledger.process.version;
    let version = this.#ledger.orphans.version;
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      version += this.#ledger.peek(op)?.version ?? 0;
    }
    return version;
  }

  /** At most once a millisecond: many reads come at a time, and what has expired can wait that long. */
  #prune(operation: Operation | undefined): void {
    const at = now();
    if (at - this.#prunedAt < 1 && this.#pruned === operation) return;
    this.#prunedAt = at;
    this.#pruned = operation;
    this.#ledger.prune(operation, (mark) => this.#policy.expired(mark));
  }
}

function firstLook(): Seen {
  return { version: -1, live: NO_TABLES };
}

function liveTables(scopes: Iterable<History>): LiveTables {
  const entries = [...scopes].flatMap((history) => [...history.entries()]);
  return { entries, tables: entries.map(({ table }) => table) };
}
