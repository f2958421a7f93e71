import { now } from '../clock';
import type { FreshnessPolicy } from '../freshness';
import type { NodeView } from '../routing';
import type { Nodes } from './nodes';

/** Whether a replica is up, as far as the pools know. */
export type Usable = (node: string) => boolean;

/** The replicas as `decide` looks at them. */
export class ReplicaViews {
  readonly #nodes: Nodes;
  readonly #policy: FreshnessPolicy;
  #usable: Usable = () => true;
  /** As they were last seen, where no lag was asked for: they seldom change from one read to the next. */
  #last: readonly NodeView[] = [];

  constructor(nodes: Nodes, policy: FreshnessPolicy) {
    this.#nodes = nodes;
    this.#policy = policy;
  }

  /** Tells which replicas are up, once there are pools of ours. */
  watch(usable: Usable): void {
    this.#usable = usable;
  }

  /** Their lag is looked at only where a bound makes it matter. */
  of(failedOn: readonly string[], boundMs: number | undefined): readonly NodeView[] {
    const { replicas } = this.#nodes;
    if (boundMs === undefined) {
      if (!this.#stillHolds(failedOn)) {
        this.#last = replicas.map((name) => {
          return { name, fit: this.#isFit(name, failedOn), lagMs: undefined };
        });
      }
      return this.#last;
    }
    const at = now();
    const views = replicas.map((name) => ({
      name,
      fit: this.#isFit(name, failedOn),
      // What was last measured says nothing of what has come since: it counts from that moment on.
      lagMs: at - (this.#policy.lag(name)?.asOf ?? -Infinity),
    }));
    if (views.some(({ lagMs }) => lagMs > boundMs / 2)) this.#policy.refresh();
    return views;
  }

  #stillHolds(failedOn: readonly string[]): boolean {
    const { replicas } = this.#nodes;
    if (this.#last.length !== replicas.length) return false;
    let index = 0;
    for (const name of replicas) {
      const view = this.#last[index++];
      if (view?.name !== name || view.fit !== this.#isFit(name, failedOn)) return false;
    }
    return true;
  }

  #isFit(name: string, failedOn: readonly string[]): boolean {
    return (
      this.#policy.serves(name) &&
      this.#usable(name) &&
      // A second failure is enough: then it is the primary's turn.
      (failedOn.length === 0 || (failedOn.length === 1 && !failedOn.includes(name)))
    );
  }
}
