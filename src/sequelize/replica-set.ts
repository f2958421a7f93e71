import { OptionsError } from '../errors';
import type { FreshnessPolicy } from '../freshness';
import type { NodePoolsInstallation } from './node-pools';
import type { Nodes } from './nodes';
import { readEntryOf } from './read-entry';

/** Why the replicas of a handle can't be changed. */
export type Fixed = 'closed' | 'no-replication' | 'observing';

const BECAUSE: Record<Fixed, string> = {
  closed: 'this handle is closed. Call it on the handle in use',
  'no-replication':
    'this Sequelize instance has no `replication` option, so it has no pools for replicas. ' +
    'Make it with replication: { write, read: [] } or with the replicas it starts with',
  observing:
    "with routing: 'observe' connections are made by Sequelize's own pools, which know no such change. " +
    "Use routing: 'enforce'",
};

/** Takes replicas in and out while the instance is at work. */
export class ReplicaSet {
  readonly #nodes: Nodes;
  readonly #policy: FreshnessPolicy;
  readonly #pools: NodePoolsInstallation | undefined;
  readonly #fixed: () => Fixed | undefined;

  constructor(parts: {
    nodes: Nodes;
    policy: FreshnessPolicy;
    /** None where statements stay where Sequelize sends them. */
    pools: NodePoolsInstallation | undefined;
    fixed: () => Fixed | undefined;
  }) {
    this.#nodes = parts.nodes;
    this.#policy = parts.policy;
    this.#pools = parts.pools;
    this.#fixed = parts.fixed;
  }

  /** @throws OptionsError */
  add(config: unknown): string {
    const { add, poolSettings } = this.#changeable('addReplica(config)');
    const name = this.#nodes.add(readEntryOf(config, poolSettings));
    add(name);
    this.#policy.addNode(name);
    return name;
  }

  /** @throws OptionsError */
  async remove(name: unknown): Promise<void> {
    const { pools } = this.#changeable('removeReplica(name)');
    this.#nodes.remove(name);
    await Promise.all([pools.remove(name), this.#policy.removeNode(name)]);
    this.#nodes.free(name);
  }

  #changeable(call: string): NodePoolsInstallation {
    const fixed = this.#fixed();
    if (fixed === undefined && this.#pools) return this.#pools;
    throw new OptionsError(`${call}: ${BECAUSE[fixed ?? 'observing']}.`);
  }
}
