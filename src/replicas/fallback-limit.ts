import { ReplicasUnavailableError } from '../errors';

/** Counts the reads that the primary takes over for replicas, so that they can't drown it. */
export class FallbackLimit {
  readonly #max: number;
  #taken = 0;

  constructor(max: number | undefined) {
    this.#max = max ?? Infinity;
  }

  get taken(): number {
    return this.#taken;
  }

  /** @throws ReplicasUnavailableError when as many as allowed are at it. */
  enter(): void {
    if (this.#taken >= this.#max) {
      throw new ReplicasUnavailableError(
        `no replica is fit, and the primary is already serving ${this.#max} reads in their place ` +
          `(maxPrimaryFallback): this one was turned away to keep the primary alive.`,
      );
    }
    this.#taken += 1;
  }

  leave(): void {
    this.#taken -= 1;
  }
}
