import type { FreshReads } from '../handle';
import type { Operation, OperationInfo } from '../operation';
import type { Decision } from '../routing';

/** A decision as `extensions.freshReads` shows it to clients. */
export type ShownDecision = Pick<Decision, 'tables' | 'target' | 'node' | 'reason' | 'resolver'>;

/** What was decided, by operation, from now on. */
export class CollectedDecisions {
  readonly #byOperation = new WeakMap<OperationInfo, Decision[]>();
  readonly #subscription: { dispose(): void };

  constructor(reads: FreshReads) {
    this.#subscription = reads.onDecision((decision) => {
      if (!decision.operation) return;
      const list = this.#byOperation.get(decision.operation);
      if (list) list.push(decision);
      else this.#byOperation.set(decision.operation, [decision]);
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Those of `operation`, after those of what it follows. */
  of(operation: Operation): readonly ShownDecision[] {
    const { follows } = operation;
    const all = [
      ...(follows ? (this.#byOperation.get(follows.info) ?? []) : []),
      ...(this.#byOperation.get(operation.info) ?? []),
    ];
    return all.map(({ tables, target, node, reason, resolver }) => ({
      tables,
      target,
      node,
      reason,
      resolver,
    }));
  }
}
