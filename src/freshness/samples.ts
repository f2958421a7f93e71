/** The primary's position at a moment: whoever is at `position` shows every commit up to `seq`. */
export interface Sample {
  /** Logical time at which the question was sent: commits up to it were acknowledged before. */
  readonly seq: number;
  readonly position: bigint;
  /** Monotonic milliseconds at which the question was sent. */
  readonly sentAt: number;
}

/** A sample in its place: the ordinals grow, also where no commit lies between two samples. */
export interface OrderedSample extends Sample {
  readonly ordinal: number;
}

const LIMIT = 1024;

/**
 * The samples that some replica has not passed yet, in the order they were taken: neither
 * `seq` nor `position` ever falls. Leaving one out is always safe, a later one proves the same and more.
 */
export class Samples {
  #list: OrderedSample[] = [];
  #count = 0;

  get newest(): OrderedSample | undefined {
    return this.#list.at(-1);
  }

  get size(): number {
    return this.#list.length;
  }

  /** Takes a sample in. One that is answered after a later one is left out, or stands for that place. */
  add(sample: Sample): void {
    const { newest } = this;
    if (newest && sample.seq < newest.seq) return;
    const position =
      newest && newest.position > sample.position ? newest.position : sample.position;
    this.#list.push({ ...sample, position, ordinal: ++this.#count });
    if (this.#list.length > LIMIT) this.#thin();
  }

  /** The newest sample that a node at `position` has passed. */
  passedAt(position: bigint): OrderedSample | undefined {
    return this.#list[this.#prefix((sample) => sample.position <= position) - 1];
  }

  /** The newest sample up to the one with this ordinal. */
  upTo(ordinal: number): OrderedSample | undefined {
    return this.#list[this.#prefix((sample) => sample.ordinal <= ordinal) - 1];
  }

  /** The oldest sample that proves at least `seq`. */
  covering(seq: number): OrderedSample | undefined {
    return this.#list[this.#prefix((sample) => sample.seq < seq)];
  }

  /** The oldest sample after the one with this ordinal. */
  after(ordinal: number): OrderedSample | undefined {
    return this.#list[this.#prefix((sample) => sample.ordinal <= ordinal)];
  }

  /** Forgets all up to the one with this ordinal. */
  drop(ordinal: number): void {
    this.#list.splice(
      0,
      this.#prefix((sample) => sample.ordinal <= ordinal),
    );
  }

  clear(): void {
    this.#list = [];
  }

  /** How many samples at the start of the list satisfy `holds`, which is true of a prefix of it. */
  #prefix(holds: (sample: OrderedSample) => boolean): number {
    let low = 0;
    let high = this.#list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const sample = this.#list[middle];
      if (sample && holds(sample)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A replica far behind: half of the steps will do. The newest stays. */
  #thin(): void {
    const parity = (this.#list.length - 1) % 2;
    this.#list = this.#list.filter((_, index) => index % 2 === parity);
  }
}
