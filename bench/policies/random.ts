/** Numbers that look random and are the same for the same seed, on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, and without, 1: a counter whose bits are mixed well. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** The time until the next of events that come independently, `mean` apart. */
  gap(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }
}

/** Draws indexes, each as often as its weight says. */
export class Weighted {
  readonly #sums: number[] = [];

  constructor(weights: readonly number[]) {
    let sum = 0;
    for (const weight of weights) this.#sums.push((sum += weight));
  }

  draw(random: Random): number {
    const point = random.next() * (this.#sums.at(-1) ?? 0);
    return this.#sums.findIndex((sum) => point < sum);
  }
}

/** Weights 1, 1/2, 1/3, ...: a few are asked for all the time, most of them now and then. */
export function zipf(count: number): number[] {
  return Array.from({ length: count }, (_, index) => 1 / (index + 1));
}
