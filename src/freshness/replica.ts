import type { Reading } from './reading';

/**
 * What is known of a replica.
 *
 * - `unread`: never asked. It can miss nothing as long as nothing was let expire.
 * - `proven`: a standby of our primary that shows everything that was let expire.
 * - `behind`: one that does not, or not yet.
 * - `void`: not known any more, or not one of ours: promoted, of another cluster or timeline.
 * - `primary`: in truth the primary, under another name.
 * - `mixed`: several servers share its name; each connection has to be judged by itself.
 * - `opaque`: behind a proxy that hides which server answers.
 */
export type Standing = 'unread' | 'proven' | 'behind' | 'void' | 'primary' | 'mixed' | 'opaque';

// Of all replicas together: one that leaves and joins again under its name starts no count anew.
let generations = 0;

/** The books on one replica. Plain state: the rules are in {@link Progress}. */
export class Replica {
  standing: Standing = 'unread';
  /** Every commit up to this logical time is shown; 0: none that we know of. */
  shown = 0;
  /** The ordinal of the newest sample it was seen to have passed. */
  passed = 0;
  /** How far it had replayed when last asked. */
  position: bigint | undefined;
  /** Grows with every loss, and is no other replica's: answers to older questions count for nothing. */
  generation = ++generations;
  /** The question, of those that were answered, that was asked last. */
  #heard = 0;
  #server: string | undefined;
  #system: string | undefined;
  #timeline: number | undefined;
  readonly #earlier = new Set<string>();

  /** Forgets what it shows. Which servers were seen under its name is remembered. */
  void(): void {
    this.generation = ++generations;
    this.#forget();
    this.position = undefined;
    this.#timeline = undefined;
    if (this.standing !== 'mixed' && this.standing !== 'opaque') this.standing = 'void';
  }

  /** Stands there without any proof. */
  degrade(standing: Exclude<Standing, 'proven'>): void {
    this.#forget();
    this.standing = standing;
  }

  /**
   * Whether an answer is of the question that was asked last. One of before may come from the time
   * before a restart that the later one has shown already.
   */
  hears(order: number): boolean {
    if (order < this.#heard) return false;
    this.#heard = order;
    return true;
  }

  /** Notes how far it says to be: where that is less than it was, what it showed there is void. */
  moveTo(position: bigint | undefined): void {
    if ((position ?? 0n) < (this.position ?? 0n)) this.#forget();
    this.position = position;
  }

  /** Notes that it has passed a sample, and shows every commit up to `seq`. */
  prove(seq: number, passed: number): void {
    this.standing = 'proven';
    this.shown = Math.max(this.shown, seq);
    this.passed = Math.max(this.passed, passed);
  }

  #forget(): void {
    this.shown = 0;
    this.passed = 0;
  }

  /**
   * Holds the server that answered against those seen before. `new` and `same` are what they say;
   * `changed`: another server took the name over; `mixed`: one that had been replaced is back. A
   * server that was restarted never comes back, so then there are several.
   */
  meet(server: string): 'new' | 'same' | 'changed' | 'mixed' {
    if (this.#server === server) return 'same';
    if (this.#earlier.has(server)) return 'mixed';
    const first = this.#server === undefined;
    if (this.#server !== undefined) this.#earlier.add(this.#server);
    this.#server = server;
    return first ? 'new' : 'changed';
  }

  /**
   * Notes where the standby belongs. Its timeline never goes back until it is void: while its own
   * connection to the primary is down, only the control file speaks, and that is late.
   */
  note({ system, timeline }: Reading): void {
    this.#system = system;
    if (timeline !== undefined && timeline > (this.#timeline ?? 0)) this.#timeline = timeline;
  }

  get system(): string | undefined {
    return this.#system;
  }

  get timeline(): number | undefined {
    return this.#timeline;
  }
}
