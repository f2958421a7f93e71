import { now } from '../clock';
import type { CommitMark, Proof } from '../operation';
import type { ProbeEnvironment } from './environment';
import { LagStatistics } from './lag-statistics';
import type { FreshnessPolicy, Lag, LogPlace, NodeConnection } from './policy';
import { Proven, type ProvenOptions } from './proven';

/** Options of {@link MeasuredWindow}, with every default filled in. */
export interface MeasuredOptions extends ProvenOptions {
  /** Which percentile of the lag seen lately makes the window: above 0, at most 100. */
  readonly percentile: number;
  /** The window is never shorter, in milliseconds. */
  readonly floorMs: number;
  /** The window is never longer, in milliseconds; it is this until enough was seen. */
  readonly ceilingMs: number;
}

/**
 * Trusts that a replica will be no further behind than it was lately: a write expires on it after a
 * percentile of the lag that probes saw, or when a probe has seen it there. A replica that is seen to
 * be slower than ever before is given more time at once, up to the ceiling.
 */
export class MeasuredWindow implements FreshnessPolicy {
  readonly mode = 'measured';
  readonly #replicas: Set<string>;
  /** What each replica that joined has to show: the others' windows may have let all of it expire. */
  readonly #joining = new Map<string, CommitMark>();
  readonly #proof: Proven;
  readonly #statistics = new Map<string, LagStatistics>();
  readonly #options: MeasuredOptions;
  readonly #environment: ProbeEnvironment;
  #closed = false;

  constructor(environment: ProbeEnvironment, options: MeasuredOptions) {
    this.#options = options;
    this.#environment = environment;
    this.#replicas = new Set(environment.replicas);
    this.#proof = new Proven(environment, options, (node, ms) => this.#of(node).saw(ms, now()));
  }

  start(): void {
    this.#proof.start();
  }

  addNode(node: string): void {
    if (this.#replicas.has(node)) return;
    const mark = { seq: this.#environment.logicalTime(), at: now() };
    this.#replicas.add(node);
    this.#joining.set(node, mark);
    this.#proof.addNode(node);
    // The probes have to get it as far as that, also when nobody writes any more.
    this.#proof.committed(mark);
  }

  removeNode(node: string): Promise<void> {
    this.#replicas.delete(node);
    this.#joining.delete(node);
    this.#statistics.delete(node);
    return this.#proof.removeNode(node);
  }

  inUse(node: string): void {
    this.#proof.inUse(node);
  }

  committed(mark: CommitMark): void {
    this.#proof.committed(mark);
  }

  shows(node: string, mark: CommitMark): boolean {
    return this.#proof.shows(node, mark) || this.#restMs(node, mark) <= 0;
  }

  expired(mark: CommitMark): boolean {
    if (this.#proof.expired(mark)) return true;
    // Also the nodes that don't serve now: when they do again, the window alone speaks for them.
    return this.#replicas.size > 0 && [...this.#replicas].every((node) => this.shows(node, mark));
  }

  serves(node: string): boolean {
    return this.#proof.serves(node) && this.#hasJoined(node);
  }

  admit(node: string, connection: NodeConnection): Promise<boolean> {
    return this.#proof.admit(node, connection);
  }

  lost(node: string): void {
    this.#proof.lost(node);
  }

  async waitUntilShown(
    nodes: readonly string[],
    mark: CommitMark,
    timeoutMs: number,
  ): Promise<boolean> {
    const deadline = now() + timeoutMs;
    while (!nodes.some((node) => this.shows(node, mark))) {
      const leftMs = deadline - now();
      if (leftMs <= 0 || this.#closed) return false;
      // Probes may see it there sooner, and may stretch the window meanwhile.
      const restMs = Math.min(leftMs, ...nodes.map((node) => this.#restMs(node, mark)));
      await this.#proof.waitUntilShown(nodes, mark, Math.max(1, Math.ceil(restMs)));
    }
    return true;
  }

  waitUntilAsOf(nodes: readonly string[], asOf: number, timeoutMs: number): Promise<boolean> {
    return this.#proof.waitUntilAsOf(nodes, asOf, timeoutMs);
  }

  lag(node: string): Lag | undefined {
    return this.#proof.lag(node);
  }

  /** How long a write to a table holds reads of it back from `node`, in milliseconds. */
  windowMs(node: string): number {
    const { percentile, floorMs, ceilingMs, probeIntervalMs } = this.#options;
    const usual = this.#statistics.get(node)?.percentileMs(percentile);
    if (usual === undefined) return ceilingMs;
    const current = (this.#proof.lag(node)?.ms ?? ceilingMs) + probeIntervalMs;
    return Math.min(Math.max(usual, current, floorMs), ceilingMs);
  }

  proofOf(mark: CommitMark): Proof | undefined {
    return this.#proof.proofOf(mark);
  }

  whenPlaced(mark: CommitMark, timeoutMs: number): Promise<void> {
    return this.#proof.whenPlaced(mark, timeoutMs);
  }

  place(): LogPlace | undefined {
    return this.#proof.place();
  }

  run(node: string): number {
    return this.#proof.run(node);
  }

  isEverywhere(mark: CommitMark): boolean {
    return this.#replicas.size > 0 && [...this.#replicas].every((node) => this.shows(node, mark));
  }

  refresh(): void {
    this.#proof.refresh();
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#proof.close();
  }

  #hasJoined(node: string): boolean {
    const mark = this.#joining.get(node);
    if (!mark) return true;
    if (!this.shows(node, mark)) return false;
    this.#joining.delete(node);
    return true;
  }

  #restMs(node: string, mark: CommitMark): number {
    return mark.at + this.windowMs(node) - now();
  }

  #of(node: string): LagStatistics {
    let statistics = this.#statistics.get(node);
    if (!statistics) {
      statistics = new LagStatistics();
      this.#statistics.set(node, statistics);
    }
    return statistics;
  }
}
