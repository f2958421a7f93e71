import type { Proof } from '../operation';
import type { Floor } from './floor';
import type { Primary } from './primary';
import type { Replica } from './replica';
import type { Samples } from './samples';

/** What can be said of places in the write-ahead log that other processes tell of. */
export class Places {
  readonly #primary: Primary;
  readonly #replicas: ReadonlyMap<string, Replica>;
  readonly #samples: Samples;
  readonly #floor: Floor;

  constructor(parts: {
    primary: Primary;
    replicas: ReadonlyMap<string, Replica>;
    samples: Samples;
    floor: Floor;
  }) {
    this.#primary = parts.primary;
    this.#replicas = parts.replicas;
    this.#samples = parts.samples;
    this.#floor = parts.floor;
  }

  /** The log of the primary that samples are taken of. */
  get here(): Pick<Proof, 'system' | 'timeline'> | undefined {
    const { system, timeline, direct } = this.#primary;
    return system === undefined || timeline === undefined || !direct
      ? undefined
      : { system, timeline };
  }

  /** The first place that is known to cover the commits up to `seq`. */
  covering(seq: number): Proof | undefined {
    const { here } = this;
    const position =
      seq <= this.#floor.seq ? this.#floor.position : this.#samples.covering(seq)?.position;
    return here && position !== undefined ? { ...here, position } : undefined;
  }

  /** Whether `node` was seen at or past a place. */
  isPast(node: string, proof: Proof): boolean {
    const replica = this.#replicas.get(node);
    if (replica?.standing === 'primary') return true;
    return (
      replica?.standing === 'proven' &&
      replica.position !== undefined &&
      replica.position >= proof.position &&
      this.#isHere(proof)
    );
  }

  /** Whether no node that is not past a place will be used. */
  hasArrived(proof: Proof): boolean {
    return this.#isHere(proof) && this.#floor.isPast(proof.position);
  }

  #isHere({ system, timeline }: Proof): boolean {
    const { here } = this;
    return here?.system === system && here.timeline === timeline;
  }
}
