import { Primary } from './primary';
import type { Reading } from './reading';
import { Replica, type Standing } from './replica';
import { Samples, type Sample } from './samples';

/** What was known when a question was sent: the answer is judged by that. */
export interface Ticket {
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
 * The floor: how far every replica in use has come. What lies below was let expire and is forgotten,
 * so a replica that shows less must not serve anything.
 */
interface Floor {
  readonly seq: number;
  /** `undefined` while nothing was let expire; `'unknown'`: to be set by the primary's next sample. */
  readonly position: bigint | undefined | 'unknown';
}

/**
 * The rules of proof, without clocks and connections: what each replica is proven to show, and what
 * it has to show to be used at all. Fed with the answers of probes and with losses.
 */
export class Progress {
  readonly #primaryName: string;
  readonly #events: ProgressEvents;
  readonly #primary: Primary;
  readonly #replicas = new Map<string, Replica>();
  readonly #samples = new Samples();
  #floor: Floor = { seq: 0, position: undefined };
  #sampled = 0;
  /** Without a primary (down at the start) the replicas have to be of one cluster at least. */
  #system: string | undefined;

  constructor(primaryName: string, replicas: readonly string[], events: ProgressEvents) {
    this.#primaryName = primaryName;
    this.#events = events;
    this.#primary = new Primary((message) => events.warn(message));
    for (const name of replicas) this.#replicas.set(name, new Replica());
  }

  add(name: string): void {
    if (!this.#replicas.has(name)) this.#replicas.set(name, new Replica());
  }

  remove(name: string): void {
    if (this.#replicas.delete(name)) this.#raiseFloor();
  }

  get primaryKnown(): boolean {
    return this.#primary.known;
  }

  /** Every commit up to this logical time is covered by a sample that still counts. */
  get sampled(): number {
    return this.#sampled;
  }

  /** Whether samples of the primary prove anything: not when a proxy hides whose they are. */
  get proves(): boolean {
    return this.#primary.direct;
  }

  /** Replicas wait for a first sample of a primary that has changed (or was never asked). */
  get needsSample(): boolean {
    return !this.#primary.known || this.#floor.position === 'unknown';
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

  serves(node: string): boolean {
    const replica = this.#replicas.get(node);
    return replica !== undefined && this.#isInUse(replica);
  }

  /** The oldest sample that `node` was not seen to have passed. */
  pending(node: string): Sample | undefined {
    const replica = this.#replicas.get(node);
    return replica?.standing === 'proven' ? this.#samples.after(replica.shown) : undefined;
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
    return { generation, position };
  }

  /** A connection of `node` was lost: what was known of it is void. */
  lost(node: string): void {
    if (node !== this.#primaryName) {
      this.#replicas.get(node)?.void();
      this.#raiseFloor();
      return;
    }
    // It may have crashed, and lost WAL that a sample counted on. What replicas have passed was on
    // its disk, and stays.
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
    const meeting = this.#primary.meet(reading, sample && ticket.position);
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
    this.#raiseFloor();
    return judgement;
  }

  #judge(node: string, replica: Replica, reading: Reading, ticket: Ticket): Judgement {
    if (!reading.direct) return this.#opaque(node, replica);
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
    if (!this.#isOurs(node, replica, reading)) {
      if (replica.standing !== 'mixed') replica.degrade('void');
      return UNFIT;
    }
    if (!reading.standby) {
      if (replica.standing !== 'mixed') replica.degrade('primary');
      return { fit: true, passed: undefined };
    }
    if (reading.position === undefined) {
      this.#events.warn(`${node} gives no replay position: nothing is proven of it`);
    }
    return this.#measure(replica, reading.position);
  }

  /** Whether it is the primary itself, or a standby on the primary's timeline. */
  #isOurs(node: string, replica: Replica, reading: Reading): boolean {
    if (!reading.standby) {
      if (this.#primary.is(reading)) return true;
      this.#events.warn(`${node} is not a standby (any more) and not the primary: not used`);
      return false;
    }
    this.#system ??= reading.system;
    if (reading.system !== this.#system) {
      this.#events.warn(
        `${node} belongs to another cluster (system identifier ${reading.system ?? 'unknown'}, ` +
          `not ${this.#system ?? 'unknown'}): not used`,
      );
      return false;
    }
    if (replica.standing === 'mixed') return this.#isFollowing(node, reading.timeline);
    replica.note(reading);
    return this.#isFollowing(node, replica.timeline);
  }

  #isFollowing(node: string, timeline: number | undefined): boolean {
    if (!this.#primary.known || timeline === this.#primary.timeline) return true;
    this.#events.warn(
      `${node} is not known to follow the primary on timeline ${this.#primary.timeline ?? 'unknown'} ` +
        `(seen on ${timeline ?? 'none'}): not used until it is. After a failover that can take a ` +
        'checkpoint, unless the role of the application has pg_read_all_stats.',
    );
    return false;
  }

  /** Holds a position against the floor and the samples. */
  #measure(replica: Replica, position: bigint | undefined): Judgement {
    const floor = this.#floor.position;
    const aboveFloor =
      floor === undefined || (floor !== 'unknown' && position !== undefined && position >= floor);
    if (replica.standing === 'mixed') return { fit: aboveFloor, passed: undefined };
    if (position !== undefined && position > (replica.position ?? -1n)) replica.position = position;
    if (!aboveFloor) {
      replica.degrade('behind');
      return UNFIT;
    }
    const passed = position === undefined ? undefined : this.#samples.passedAt(position);
    const before = replica.shown;
    replica.standing = 'proven';
    replica.shown = Math.max(before, this.#floor.seq, passed?.seq ?? 0);
    return { fit: true, passed: passed && passed.seq > before ? passed : undefined };
  }

  #opaque(node: string, replica: Replica): Judgement {
    if (replica.standing !== 'opaque') {
      replica.degrade('opaque');
      this.#events.warn(
        `${node} is reached through a proxy that hides which server answers (its process id is not ` +
          'the one announced): nothing is proven of it. Connect to the replica itself.',
      );
    }
    return { fit: this.#isInUse(replica), passed: undefined };
  }

  #mixed(node: string, replica: Replica): void {
    if (replica.standing === 'mixed') return;
    replica.void();
    replica.degrade('mixed');
    this.#events.changed(node);
    this.#events.warn(
      `the name ${node} leads to several servers: nothing is proven of it. Name each replica by itself.`,
    );
  }

  #isInUse({ standing }: Replica): boolean {
    switch (standing) {
      case 'proven':
      case 'primary':
        return true;
      case 'unread':
      case 'opaque':
        return this.#untouched;
      case 'mixed':
        return this.#floor.position !== 'unknown';
      case 'behind':
      case 'void':
        return false;
    }
  }

  /** Nothing was let expire and the primary has not changed: no replica can miss anything. */
  get #untouched(): boolean {
    return this.#floor.position === undefined;
  }

  #take(sample: Sample): void {
    const { direct } = this.#primary;
    this.#primary.position = sample.position;
    if (this.#floor.position === 'unknown') {
      // Only this primary can have written up to here: who shows that follows it.
      this.#floor = { seq: direct ? sample.seq : this.#floor.seq, position: sample.position };
    } else if (direct) {
      this.#samples.add(sample);
    }
    this.#sampled = direct ? sample.seq : this.#floor.seq;
    this.#raiseFloor();
  }

  /** Another primary, or another run of it: all positions are void, every replica has to prove itself. */
  #rebase(): void {
    this.#samples.clear();
    this.#sampled = 0;
    this.#floor = { seq: this.#floor.seq, position: 'unknown' };
    this.#system = this.#primary.system;
    for (const [name, replica] of this.#replicas) {
      replica.void();
      // Its connections were admitted one by one, by what was let expire until then.
      if (replica.standing === 'mixed') this.#events.changed(name);
    }
    this.#events.changed(this.#primaryName);
  }

  /** The primary is known now: replicas taken on trust before have to be its own. */
  #checkReplicas({ system, timeline }: Reading): void {
    this.#system = system;
    for (const replica of this.#replicas.values()) {
      const known = replica.standing === 'proven';
      if (known && (replica.system !== system || replica.timeline !== timeline)) replica.void();
    }
  }

  /** Lets expire what every replica in use shows. An empty set of them shows nothing. */
  #raiseFloor(): void {
    if (this.#floor.position === 'unknown') return;
    let seq: number | undefined;
    for (const replica of this.#replicas.values()) {
      if (!this.#isInUse(replica)) continue;
      const shown = replica.standing === 'primary' ? this.#sampled : replica.shown;
      seq = Math.min(seq ?? shown, shown);
    }
    const sample = seq === undefined ? undefined : this.#samples.upTo(seq);
    if (!sample || sample.seq <= this.#floor.seq) return;
    this.#floor = { seq: sample.seq, position: sample.position };
    this.#samples.drop(sample.seq);
  }
}

const NOBODY: Ticket = { generation: -1, position: undefined };
