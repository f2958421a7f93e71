/** What choosing looks at. */
export interface Candidate {
  readonly name: string;
  readonly weight: number;
  /** Connections in use and callers waiting for one. */
  readonly load: number;
  /** A connect is finding out whether it is still there. */
  readonly inQuestion: boolean;
}

/**
 * Picks the least loaded of several nodes, load being measured by weight. Between equals it goes
 * round, each node as often as its weight says.
 */
export class Choice {
  /** Per node the turn at which it is next due: moves on by 1 / weight with every pick. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  /** One of those by these names, passing over what is no candidate. */
  pick<T extends Candidate>(
    names: readonly string[],
    candidateOf: (name: string) => T | undefined,
  ): T | undefined {
    let best: T | undefined;
    for (const name of names) {
      const candidate = candidateOf(name);
      if (!candidate) continue;
      if (!best || this.#compare(candidate, best) < 0) best = candidate;
    }
    if (best) {
      this.#turn = this.#due(best.name);
      this.#turns.set(best.name, this.#turn + 1 / best.weight);
    }
    return best;
  }

  forget(name: string): void {
    this.#turns.delete(name);
  }

  #compare(a: Candidate, b: Candidate): number {
    return (
      Number(a.inQuestion) - Number(b.inQuestion) ||
      a.load / a.weight - b.load / b.weight ||
      this.#due(a.name) - this.#due(b.name)
    );
  }

  /** A node that was away for long gets no more than its share when it is back. */
  #due(name: string): number {
    return Math.max(this.#turns.get(name) ?? 0, this.#turn);
  }
}
