import { notices } from './notices';
import type { Primary } from './primary';
import type { Reading } from './reading';
import type { Replica } from './replica';

/** Tells whether a server that answers under a replica's name is one of ours. */
export class Belonging {
  readonly #primary: Primary;
  readonly #warn: (message: string) => void;
  /** Without a primary (down at the start) the replicas have to be of one cluster at least. */
  #system: string | undefined;

  constructor(primary: Primary, warn: (message: string) => void) {
    this.#primary = primary;
    this.#warn = warn;
  }

  /** Whether it is the primary itself, or a standby on the primary's timeline. */
  isOurs(node: string, replica: Replica, reading: Reading): boolean {
    if (!reading.standby) {
      if (this.#primary.is(reading)) return true;
      this.#warn(notices.notAStandby(node));
      return false;
    }
    this.#system ??= reading.system;
    if (reading.system !== this.#system) {
      this.#warn(notices.otherCluster(node, reading.system, this.#system));
      return false;
    }
    if (replica.standing === 'mixed') return this.#isFollowing(node, reading.timeline);
    replica.note(reading);
    return this.#isFollowing(node, replica.timeline);
  }

  /** The primary is known now, or has changed: its cluster is the one that counts. */
  adopt(system: string | undefined): void {
    this.#system = system;
  }

  #isFollowing(node: string, timeline: number | undefined): boolean {
    if (!this.#primary.known || timeline === this.#primary.timeline) return true;
    this.#warn(notices.otherTimeline(node, timeline, this.#primary.timeline));
    return false;
  }
}
