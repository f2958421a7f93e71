import { now } from '../clock';
import type { FreshnessPolicy } from '../freshness';
import type { Frame, Ledger, Operation, TableEntry } from '../operation';

/** The books as they stand: what has expired everywhere is taken out before anybody looks. */
export class LiveWrites {
  readonly #ledger: Ledger;
  readonly #policy: FreshnessPolicy;
  #prunedAt = -Infinity;
  #pruned: Operation | undefined;

  constructor(ledger: Ledger, policy: FreshnessPolicy) {
    this.#ledger = ledger;
    this.#policy = policy;
  }

  /** Those that count for the code in `frame`, one entry a table and scope. */
  of(frame: Frame): TableEntry[] {
    if (this.#ledger.isEmptyFor(frame.operation)) return [];
    this.#prune(frame.operation);
    return [...this.#ledger.scopes(frame)].flatMap((history) => [...history.entries()]);
  }

  /** Those of `operation` itself. */
  ofOperation(operation: Operation): TableEntry[] {
    this.#prune(operation);
    return [...(this.#ledger.peek(operation)?.entries() ?? [])];
  }

  /**
   * Those that the client of `operation` has to carry along: of it, of what it follows, and of code
   * that may have lost its context, if they are no older than it.
   */
  ofClient(operation: Operation): TableEntry[] {
    this.#prune(operation);
    let { beganAt } = operation;
    const own: TableEntry[] = [];
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      beganAt = Math.min(beganAt, op.beganAt);
      own.push(...(this.#ledger.peek(op)?.entries() ?? []));
    }
    const lost = [...this.#ledger.orphans.entries()].filter((entry) => {
      const open = entry.inFlight + entry.uncommitted > 0;
      return (open ? entry.openSince : (entry.newest?.at ?? 0)) >= beganAt;
    });
    return [...own, ...lost];
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

  /** At most once a millisecond: many reads come at a time, and what has expired can wait that long. */
  #prune(operation: Operation | undefined): void {
    const at = now();
    if (at - this.#prunedAt < 1 && this.#pruned === operation) return;
    this.#prunedAt = at;
    this.#pruned = operation;
    this.#ledger.prune(operation, (mark) => this.#policy.expired(mark));
  }
}
