import { Belonging } from './belonging';
import { Expiry } from './expiry';
import { Floor } from './floor';
import { notices } from './notices';
import { Places } from './places';
import { Primary } from './primary';
import type { Reading } from './reading';
import { Replica, type Standing } from './replica';
import { Samples, type Sample } from './samples';

/** What was known when a question was sent: the answer is judged by that. */
export interface Ticket {
  /** Grows from question to question. */
  readonly order: number;
  readonly generation: number;
  readonly position: bigint | undefined;
}

/** What came of a replica's answer. */
export interface Judgement {
  /** Whether the connection that answered may serve. */
  readonly fit: boolean;
  /** The newest sample that it was now seen to have passed, if it had not been before. */
  readonly passed: Sample | undefined;
}

/** What the rules have to say to the world. */
export interface ProgressEvents {
  warn(message: string): void;
  /** Another server answers under this name: connections opened earlier belong to the old one. */
  changed(node: string): void;
}

const UNFIT: Judgement = { fit: false, passed: undefined };

/**
 * The rules of proof, without clocks and connections: what each replica is proven to show, and what
 * it has to show to be used at all. Fed with the answers of probes and with losses.
 */
export class Progress {
  readonly #primaryName: string;
  readonly #events: ProgressEvents;
  readonly #primary: Primary;
  readonly #belonging: Belonging;
  readonly #replicas = new Map<string, Replica>();
  readonly #samples = new Samples();
  readonly #floor = new Floor();
  readonly #expiry = new Expiry(this.#replicas, this.#samples, this.#floor);
  /** Places in the log, for tokens that go between processes. */
  readonly places: Places;
  #sampled = 0;
  #questions = 0;

  constructor(primaryName: string, replicas: readonly string[], events: ProgressEvents) {
    this.#primaryName = primaryName;
    this.#events = events;
    const warn = (message: string) => events.warn(message);
    this.#primary = new Primary(warn);
    this.#belonging = new Belonging(this.#primary, warn);
    this.places = new Places({
      primary: this.#primary,
      replicas: this.#replicas,
      samples: this.#samples,
      floor: this.#floor,
    });
    for (const name of replicas) this.#replicas.set(name, new Replica());
  }

  add(name: string): void {
    if (!this.#replicas.has(name)) this.#replicas.set(name, new Replica());
  }

  remove(name: string): void {
    if (this.#replicas.delete(name)) this.#expiry.advance();
  }

  /** Every commit up to this logical time is covered by a sample that still counts. */
  get sampled(): number {
    return this.#sampled;
  }

  /** Whether samples of the primary prove anything: not when a proxy hides whose they are. */
  get proves(): boolean {
    return this.#primary.direct;
  }

  /** The primary is to be asked, commits or not: it was never met, has changed, or is missing. */
  get needsSample(): boolean {
    return !this.#primary.known || this.#primary.missing || this.#floor.unknown;
  }

  /** Whether a sample is on its way to some replica. */
  get underWay(): boolean {
    return [...this.#replicas.keys()].some((node) => this.pending(node) !== undefined);
  }

  standing(node: string): Standing | undefined {
    return this.#replicas.get(node)?.standing;
  }

  shows(node: string, seq: number): boolean {
    const replica = this.#replicas.get(node);
    if (replica?.standing === 'primary') return true;
    return replica?.standing === 'proven' && seq <= replica.shown;
  }

  expired(seq: number): boolean {
    return seq <= this.#floor.seq;
  }

  /** The generation of a replica: grows whenever it may show less. `NaN` for several under one name. */
  run(node: string): number {
    const replica = this.#replicas.get(node);
    if (!replica || replica.standing === 'mixed' || replica.standing === 'opaque') return NaN;
    return replica.generation;
  }

  serves(node: string): boolean {
    const replica = this.#replicas.get(node);
    return replica !== undefined && this.#expiry.isInUse(replica);
  }

  /** The oldest sample that `node` was not seen to have passed. */
  pending(node: string): Sample | undefined {
    const replica = this.#replicas.get(node);
    return replica?.standing === 'proven' ? this.#samples.after(replica.passed) : undefined;
  }

  /** How far `node` was behind the newest sample when it was last asked. */
  distance(node: string): bigint | undefined {
    const replica = this.#replicas.get(node);
    if (replica?.position === undefined || this.#primary.position === undefined) return undefined;
    const distance = this.#primary.position - replica.position;
    return distance > 0n ? distance : 0n;
  }

  /** To be taken just before a question is sent, on a connection that is open already. */
  ticket(node: string): Ticket {
    const { generation, position } =
      node === this.#primaryName ? this.#primary : (this.#replicas.get(node) ?? NOBODY);
    return { order: ++this.#questions, generation, position };
  }

  /** A connection of `node` was lost: what was known of it is void. */
  lost(node: string): void {
    if (node !== this.#primaryName) {
      this.#replicas.get(node)?.void();
      this.#expiry.advance();
      return;
    }
    // It may have crashed, and lost WAL that a sample counted on. What standbys have passed was on
    // its disk, and stays.
    if (!this.#floor.kept) this.#floor.lose();
    this.#primary.lost();
    this.#samples.clear();
    this.#sampled = this.#floor.seq;
  }

  /**
   * The primary answered: on a probe with a sample of commits up to `sample.seq`, or on a connection
   * that introduces itself. False when that connection is not to be used.
   */
  primarySaid(reading: Reading, ticket: Ticket, sample?: Pick<Sample, 'seq' | 'sentAt'>): boolean {
    // A sample of the time before a loss counts for nothing; who a connection leads to, it still tells.
    if (sample && ticket.generation !== this.#primary.generation) return true;
    const meeting = this.#primary.meet(reading, ticket.position, sample !== undefined);
    if (meeting === 'refused') return false;
    if (meeting === 'changed') this.#rebase();
    if (meeting === 'new') this.#checkReplicas(reading);
    if (sample && reading.position !== undefined) {
      this.#take({ ...sample, position: reading.position });
    }
    return true;
  }

  /** A replica answered, on a probe or on a connection that introduces itself. */
  replicaSaid(node: string, reading: Reading, ticket: Ticket): Judgement {
    const replica = this.#replicas.get(node);
    if (replica?.generation !== ticket.generation) return UNFIT;
    const judgement = this.#judge(node, replica, reading, ticket);
    this.#expiry.advance();
    return judgement;
  }

  #judge(node: string, replica: Replica, reading: Reading, ticket: Ticket): Judgement {
    if (!reading.direct) {
      return this.#belonging.isOurs(node, replica, reading) ? this.#opaque(node, replica) : UNFIT;
    }
    const meeting = replica.meet(reading.server);
    if (meeting === 'mixed') this.#mixed(node, replica);
    if (meeting === 'changed' && replica.standing !== 'mixed') {
      replica.void();
      this.#events.changed(node);
    }
    const wentBack =
      meeting === 'same' &&
      ticket.position !== undefined &&
      (reading.position ?? 0n) < ticket.position;
    if (wentBack) replica.void();
    if (!this.#belonging.isOurs(node, replica, reading)) {
      if (replica.standing !== 'mixed') this.#expel(node, replica);
      return UNFIT;
    }
    if (!reading.standby) {
      if (replica.standing !== 'mixed') replica.degrade('primary');
      return { fit: true, passed: undefined };
    }
    if (reading.position === undefined) {
      this.#events.warn(notices.noPosition(node));
    }
    return this.#measure(replica, reading.position, ticket.order);
  }

  /** Holds a position against the floor and the samples. */
  #measure(replica: Replica, position: bigint | undefined, order: number): Judgement {
    const fit = this.#floor.isReachedBy(position);
    if (fit) this.#floor.keep();
    if (replica.standing === 'mixed') return { fit, passed: undefined };
    if (!replica.hears(order)) return { fit, passed: undefined };
    replica.moveTo(position);
    if (!fit) {
      replica.degrade('behind');
      return UNFIT;
    }
    const passed = position === undefined ? undefined : this.#samples.passedAt(position);
    const isNews = passed !== undefined && passed.ordinal > replica.passed;
    replica.prove(Math.max(this.#floor.seq, passed?.seq ?? 0), passed?.ordinal ?? 0);
    return { fit, passed: isNews ? passed : undefined };
  }

  /** It is none of ours (any more): what was opened while it was is to be given up. */
  #expel(node: string, replica: Replica): void {
    const wasInUse = this.#expiry.isInUse(replica);
    replica.degrade('void');
    if (wasInUse) this.#events.changed(node);
  }

  #opaque(node: string, replica: Replica): Judgement {
    if (replica.standing !== 'opaque') {
      replica.degrade('opaque');
      this.#events.warn(notices.replicaBehindProxy(node));
    }
    return { fit: this.#expiry.isInUse(replica), passed: undefined };
  }

  #mixed(node: string, replica: Replica): void {
    if (replica.standing === 'mixed') return;
    replica.void();
    replica.degrade('mixed');
    this.#events.changed(node);
    this.#events.warn(notices.severalServers(node));
  }

  #take(sample: Sample): void {
    // Late, and asked for before some of what has expired was written: where that is it can't tell.
    if (this.#floor.unknown && sample.seq < this.#floor.seq) return;
    const { direct } = this.#primary;
    this.#primary.reach(sample.position);
    // Only this primary can have written up to here: who shows that follows it.
    if (this.#floor.unknown) this.#floor.set(sample, { covers: direct, kept: false });
    else if (direct) this.#samples.add(sample);
    this.#sampled = direct ? Math.max(this.#sampled, sample.seq) : this.#floor.seq;
    this.#expiry.advance();
  }

  /** Another primary, or another run of it: all positions are void, every replica has to prove itself. */
  #rebase(): void {
    this.#samples.clear();
    this.#sampled = 0;
    this.#floor.lose();
    this.#belonging.adopt(this.#primary.system);
    for (const [name, replica] of this.#replicas) {
      replica.void();
      // Its connections were admitted one by one, by what was let expire until then.
      if (replica.standing === 'mixed') this.#events.changed(name);
    }
    this.#events.changed(this.#primaryName);
  }

  /** The primary is known now: replicas taken on trust before have to be its own. */
  #checkReplicas({ system, timeline }: Reading): void {
    this.#belonging.adopt(system);
    for (const replica of this.#replicas.values()) {
      const known = replica.standing === 'proven';
      if (known && (replica.system !== system || replica.timeline !== timeline)) replica.void();
    }
  }
}

const NOBODY: Pick<Ticket, 'generation' | 'position'> = { generation: -1, position: undefined };
