/** Random numbers that a seed repeats. Not for secrets. */
export class Random {
  #state: number;

  /** @param seed any number; only its low 32 bits count */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A generator of its own for one part of a run, so that what another part draws changes nothing here. */
  static of(seed: number, ...parts: readonly (string | number)[]): Random {
    // FNV-1a.
    let hash = (0x811c9dc5 ^ seed) >>> 0;
    for (const character of parts.join('/')) {
      hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
    }
    const random = new Random(hash);
    random.next();
    return random;
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws RangeError for an empty list */
  pick<T>(choices: readonly T[]): T {
    const [first] = choices;
    if (first === undefined) throw new RangeError('there is nothing to pick from');
    return choices[this.between(0, choices.length - 1)] ?? first;
  }

  /** One of `choices`, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return this.pick(choices)[1];
  }

  /** Up to `count` different ones. */
  sample<T>(choices: readonly T[], count: number): T[] {
    const left = [...choices];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0) {
      taken.push(...left.splice(this.between(0, left.length - 1), 1));
    }
    return taken;
  }
}
