import { now } from '../clock';
import type { CommitMark, Proof } from '../operation';
import { bounded, isRefusal } from './bounded';
import type { ProbeEnvironment } from './environment';
import { Heartbeat, type HeartbeatOptions } from './heartbeat';
import type { FreshnessPolicy, Lag, LogPlace, NodeConnection } from './policy';
import { positions } from './positions';
import { PrimaryProbe } from './primary-probe';
import { ANSWER_MS } from './probe';
import { Progress } from './progress';
import { ASK_WHO, whoIsIt, type Evidence } from './reading';
import { ReplicaProbe } from './replica-probe';
import { Waiters } from './waiters';

/** Options of {@link Proven}, with every default filled in. */
export interface ProvenOptions {
  /** Least time between two probes of the primary, in milliseconds. */
  readonly probeIntervalMs: number;
  /** Proves by a row in a table of ours, not by positions in the write-ahead log. */
  readonly heartbeat: HeartbeatOptions | undefined;
}

/**
 * No guess: a write has expired on a replica once that replica was seen to show it. Probes on
 * connections of their own sample how far the primary has written and replicas have replayed; they
 * run while a commit is on its way, are shared by all commits, and stop when everything is shown.
 */
export class Proven implements FreshnessPolicy {
  readonly mode = 'proven';
  readonly #environment: ProbeEnvironment;
  readonly #evidence: Evidence;
  readonly #progress: Progress;
  readonly #primary: PrimaryProbe;
  readonly #replicas = new Map<string, ReplicaProbe>();
  readonly #waiters = new Waiters();
  readonly #said = new Set<string>();
  readonly #intervalMs: number;
  readonly #onLag: (node: string, ms: number) => void;
  #state: 'idle' | 'running' | 'closed' = 'idle';
  #closing: Promise<void> | undefined;

  /** @param onLag called with every lag that probes see, in milliseconds */
  constructor(
    environment: ProbeEnvironment,
    { probeIntervalMs, heartbeat }: ProvenOptions,
    onLag: (node: string, ms: number) => void = () => undefined,
  ) {
    this.#environment = environment;
    this.#intervalMs = probeIntervalMs;
    this.#onLag = onLag;
    this.#evidence = heartbeat ? new Heartbeat(heartbeat) : positions;
    this.#progress = new Progress(environment.primary, environment.replicas, {
      warn: (message) => this.#warn(message),
      changed: (node) => this.#changed(node),
    });
    this.#primary = new PrimaryProbe({
      ...this.#parts(),
      wanted: () => [...this.#replicas.values()].some((probe) => probe.wantsSamples),
      unmeasured: () => [...this.#replicas.values()].some((probe) => probe.unmeasured),
      onSample: () => this.#learned(environment.primary),
      onFlushed: () => {
        for (const probe of this.#replicas.values()) probe.expect();
      },
      onLost: () => this.lost(environment.primary),
    });
    for (const node of environment.replicas) this.#replicas.set(node, this.#replicaProbe(node));
  }

  /**
   * Opens the probes' connections and reads every node once. Done by the first commit or admission
   * at the latest; earlier saves them the time.
   */
  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'running';
    this.#pokeAll();
  }

  addNode(node: string): void {
    if (this.#state === 'closed' || this.#replicas.has(node)) return;
    this.#progress.add(node);
    const probe = this.#replicaProbe(node);
    this.#replicas.set(node, probe);
    if (this.#state === 'running') probe.poke();
  }

  async removeNode(node: string): Promise<void> {
    const probe = this.#replicas.get(node);
    if (!probe) return;
    this.#replicas.delete(node);
    this.#progress.remove(node);
    // Nothing waits for it any more.
    this.#learned(node);
    await probe.close();
  }

  inUse(node: string): void {
    if (this.#state === 'running') this.#replicas.get(node)?.inUse();
  }

  committed(mark: CommitMark): void {
    if (this.#state === 'closed') return;
    this.start();
    this.#primary.committed(mark.seq);
  }

  shows(node: string, mark: CommitMark): boolean {
    if (node === this.#environment.primary || this.#progress.shows(node, mark.seq)) return true;
    return (
      mark.proof !== undefined && this.#portable && this.#progress.places.isPast(node, mark.proof)
    );
  }

  expired(mark: CommitMark): boolean {
    if (this.#progress.expired(mark.seq)) return true;
    return (
      mark.proof !== undefined && this.#portable && this.#progress.places.hasArrived(mark.proof)
    );
  }

  proofOf(mark: CommitMark): Proof | undefined {
    return this.#portable ? this.#progress.places.covering(mark.seq) : undefined;
  }

  async whenPlaced(mark: CommitMark, timeoutMs: number): Promise<void> {
    const placed = () => this.place() === undefined || this.proofOf(mark) !== undefined;
    if (!placed()) this.#primary.hurryFor(mark.seq);
    await this.#waiters.wait(placed, timeoutMs);
  }

  place(): LogPlace | undefined {
    return this.#portable ? this.#progress.places.here : undefined;
  }

  run(node: string): number {
    return this.#progress.run(node);
  }

  isEverywhere(mark: CommitMark): boolean {
    return this.#replicas.size > 0 && [...this.#replicas.keys()].every((n) => this.shows(n, mark));
  }

  serves(node: string): boolean {
    return node === this.#environment.primary || this.#progress.serves(node);
  }

  async admit(node: string, connection: NodeConnection): Promise<boolean> {
    if (this.#state === 'closed') return true;
    this.start();
    const ticket = this.#progress.ticket(node);
    const isPrimary = node === this.#environment.primary;
    try {
      const rows = await bounded(connection.query(this.#evidence.readSql), { ms: ANSWER_MS });
      const reading = this.#evidence.parse(rows[0], connection.processId);
      if (isPrimary) return this.#progress.primarySaid(reading, ticket);
      // Perhaps it is the primary itself, under another name: that can be told once it was asked.
      if (!reading.standby) await this.#primary.firstAnswer();
      return this.#progress.replicaSaid(node, reading, ticket).fit;
    } catch (error) {
      if (!isRefusal(error)) return false;
      // Where positions are refused nothing was ever let expire, so a standby can miss nothing.
      return (await isStandby(connection)) === !isPrimary && this.serves(node);
    } finally {
      this.#learned(node);
    }
  }

  lost(node: string): void {
    if (this.#state === 'closed') return;
    this.#progress.lost(node);
    if (node === this.#environment.primary) this.#primary.drop();
    else this.#replicas.get(node)?.drop();
  }

  waitUntilShown(nodes: readonly string[], mark: CommitMark, timeoutMs: number): Promise<boolean> {
    const until = now() + timeoutMs;
    if (mark.seq > this.#progress.sampled) this.#primary.hurryFor(mark.seq);
    for (const node of nodes) this.#replicas.get(node)?.hurryUntil(until);
    return this.#waiters.wait(() => nodes.some((node) => this.shows(node, mark)), timeoutMs);
  }

  waitUntilAsOf(nodes: readonly string[], asOf: number, timeoutMs: number): Promise<boolean> {
    const hopeful = nodes.filter(
      (node) => this.#replicas.get(node)?.isSlowerThan(timeoutMs) === false,
    );
    if (hopeful.length === 0 || this.#state === 'closed') return Promise.resolve(false);
    this.start();
    this.#primary.demand(true);
    const until = now() + timeoutMs;
    for (const node of hopeful) this.#replicas.get(node)?.hurryUntil(until);
    const isKnown = (node: string) => (this.lag(node)?.asOf ?? -Infinity) >= asOf;
    return this.#waiters.wait(() => hopeful.some(isKnown), timeoutMs);
  }

  /**
   * The time from a sample's sending until the replica was seen to have passed it, the newest one
   * measured; longer while a sample is on its way for longer. Measured while this process writes: in
   * between it says how it was when everything was last seen to have arrived.
   */
  lag(node: string): Lag | undefined {
    return this.#replicas.get(node)?.lag();
  }

  refresh(): void {
    if (this.#state === 'closed') return;
    this.start();
    this.#primary.demand();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The beats of a heartbeat mean nothing to another process, positions do. */
  get #portable(): boolean {
    return this.#evidence.countsBytes;
  }

  async #close(): Promise<void> {
    this.#state = 'closed';
    this.#waiters.close();
    await Promise.allSettled([
      this.#primary.close(),
      ...[...this.#replicas.values()].map((probe) => probe.close()),
    ]);
  }

  #parts() {
    return {
      environment: this.#environment,
      evidence: this.#evidence,
      progress: this.#progress,
      intervalMs: this.#intervalMs,
      warn: (message: string) => this.#warn(message),
    };
  }

  #replicaProbe(node: string): ReplicaProbe {
    return new ReplicaProbe(node, {
      ...this.#parts(),
      onAnswer: () => this.#learned(node),
      onLag: (ms) => this.#onLag(node, ms),
      onLost: () => this.lost(node),
    });
  }

  /** Something was learned about `node`: whoever waits may go on, whatever is due may start. */
  #learned(node: string): void {
    if (this.#state === 'closed') return;
    this.#waiters.wake();
    this.#environment.onProgress?.(node);
    this.#pokeAll();
  }

  #pokeAll(): void {
    this.#primary.poke();
    for (const probe of this.#replicas.values()) probe.poke();
  }

  #changed(node: string): void {
    if (node === this.#environment.primary) this.#primary.drop();
    else this.#replicas.get(node)?.drop();
    this.#environment.onNodeChanged?.(node);
  }

  #warn(message: string): void {
    if (this.#state === 'closed' || this.#said.has(message)) return;
    this.#said.add(message);
    try {
      this.#environment.onWarning(message);
    } catch {
      // Somebody's logger failed. That must not end the probes, nor the process.
    }
  }
}

/** @returns `undefined` when it can't be told */
async function isStandby(connection: NodeConnection): Promise<boolean | undefined> {
  try {
    const [row] = await bounded(connection.query(ASK_WHO), { ms: ANSWER_MS });
    return row && whoIsIt(row, connection.processId).standby;
  } catch {
    return undefined;
  }
}
