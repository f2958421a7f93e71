import type { FreshnessPolicy } from '../freshness';
import { Seen, type Frame, type Ledger, type NodeRun, type Operation } from '../operation';
import type { Nodes } from './nodes';

/** What operations have read, where the option `monotonicReads` makes that matter. */
export class SessionReads {
  /** Whether it matters to anybody. */
  readonly enabled: boolean;
  readonly #ledger: Ledger;
  readonly #policy: FreshnessPolicy;
  readonly #nodes: Pick<Nodes, 'replicas'>;

  constructor(parts: {
    enabled: boolean;
    ledger: Ledger;
    policy: FreshnessPolicy;
    nodes: Pick<Nodes, 'replicas'>;
  }) {
    this.enabled = parts.enabled;
    this.#ledger = parts.ledger;
    this.#policy = parts.policy;
    this.#nodes = parts.nodes;
  }

  /**
   * What `operation` and its session have read; `undefined` where nobody minds. One that follows
   * another goes on from there.
   */
  seen(operation: Operation | undefined): Seen | undefined {
    if (!this.enabled || !operation) return undefined;
    return operation.state(this, () => this.seen(operation.follows) ?? new Seen());
  }

  /**
   * A statement of `operation` that may read something is about to be sent to `node`. To be noted
   * before: when its answer is looked at, the node may already be known to show less.
   */
  begin(operation: Operation | undefined, node: string): NodeRun | undefined {
    return this.enabled && operation ? this.runOf(node) : undefined;
  }

  /** It is over. */
  end(operation: Operation | undefined, from: NodeRun | undefined, readsBefore: number): void {
    if (from) this.seen(operation)?.note(this.#ledger.observe(), from, readsBefore);
  }

  /** How many reads of the operation have ended. */
  readsBefore({ operation }: Frame): number {
    return this.seen(operation)?.reads ?? 0;
  }

  /** For each replica whether it shows all that the session has read; `undefined`: nobody minds. */
  seenBy(frame: Frame): readonly boolean[] | undefined {
    const shownBy = this.shownBy(frame);
    return shownBy && this.#nodes.replicas.map(shownBy);
  }

  /** The same as a function, that answers anew each time. */
  shownBy({ operation }: Frame): ((node: string) => boolean) | undefined {
    const seen = this.seen(operation);
    const mark = seen?.mark;
    if (!mark) return undefined;
    return (node) => seen.isLast(this.runOf(node)) || this.#policy.shows(node, mark);
  }

  /** The present run of a node. */
  runOf(node: string): NodeRun {
    return { node, run: this.#policy.run(node) };
  }
}
