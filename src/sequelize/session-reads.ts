import type { FreshnessPolicy } from '../freshness';
import { Seen, type Ledger, type NodeRun, type Operation } from '../operation';

/** What operations have read, where the option `monotonicReads` makes that matter. */
export class SessionReads {
  readonly #enabled: boolean;
  readonly #ledger: Ledger;
  readonly #policy: FreshnessPolicy;

  constructor(parts: { enabled: boolean; ledger: Ledger; policy: FreshnessPolicy }) {
    this.#enabled = parts.enabled;
    this.#ledger = parts.ledger;
    this.#policy = parts.policy;
  }

  /** What `operation` and its session have read; `undefined` where nobody minds. */
  seen(operation: Operation | undefined): Seen | undefined {
    if (!this.#enabled || !operation) return undefined;
    return operation.state(this, () => new Seen());
  }

  /** A statement of `operation` that may have read something is over. */
  note(operation: Operation | undefined, node: string, readsBefore: number): void {
    const seen = this.seen(operation);
    seen?.note(this.#ledger.observe(), this.runOf(node), readsBefore);
  }

  runOf(node: string): NodeRun {
    return { node, run: this.#policy.run(node) };
  }
}
