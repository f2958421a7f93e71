import type { Floor } from './floor';
import type { Replica } from './replica';
import type { Samples } from './samples';

/** Lets commits expire, once every replica in use shows them. */
export class Expiry {
  readonly #replicas: ReadonlyMap<string, Replica>;
  readonly #samples: Samples;
  readonly #floor: Floor;

  constructor(replicas: ReadonlyMap<string, Replica>, samples: Samples, floor: Floor) {
    this.#replicas = replicas;
    this.#samples = samples;
    this.#floor = floor;
  }

  /** Whether a replica may serve reads of what has expired. */
  isInUse({ standing }: Replica): boolean {
    switch (standing) {
      case 'proven':
      case 'primary':
        return true;
      case 'unread':
      case 'opaque':
        return this.#floor.untouched;
      case 'mixed':
        return !this.#floor.unknown;
      case 'behind':
      case 'void':
        return false;
    }
  }

  /**
   * Raises the floor to what every replica in use has passed: an empty set of them has passed
   * nothing. Two samples of one logical time differ in their places, so samples are what is compared.
   */
  advance(): void {
    if (this.#floor.unknown) return;
    const inUse = [...this.#replicas.values()].filter((replica) => this.isInUse(replica));
    const standbys = inUse.filter(({ standing }) => standing !== 'primary');
    const newest = inUse.length > 0 ? this.#samples.newest?.ordinal : undefined;
    const passed = standbys.reduce((least, next) => Math.min(least, next.passed), newest ?? 0);
    const sample = this.#samples.upTo(passed);
    if (!sample || sample.seq <= this.#floor.seq) return;
    this.#floor.set(sample, { covers: true, kept: standbys.length > 0 });
    this.#samples.drop(sample.ordinal);
  }
}
