import { furthest, type CommitMark } from './history';

/** How a node was when it was read from: another run of it may show less. */
export interface NodeRun {
  readonly node: string;
  readonly run: number;
}

/** In the place of the number of reads before: nobody has looked whether the node shows them. */
export const UNCHECKED = -1;

/**
 * What an operation and the session before it have read so far, for those that must never go back
 * behind it: a node may answer if it shows {@link mark}, or if it is the one that was read last.
 */
export class Seen {
  #mark: CommitMark | undefined;
  #last: NodeRun | undefined;
  #reads = 0;

  get mark(): CommitMark | undefined {
    return this.#mark;
  }

  /** How many reads have ended: to be noted when a read is decided on. */
  get reads(): number {
    return this.#reads;
  }

  /**
   * A read has ended on `from` that was decided on after `readsBefore` others ({@link UNCHECKED}: on
   * a node that need not show what was read before). When another one has ended meanwhile, neither
   * node is known to show what the other has shown.
   */
  note(mark: CommitMark, from: NodeRun, readsBefore: number): void {
    const alone = readsBefore === this.#reads || isSame(this.#last, from);
    this.#last = alone ? from : undefined;
    this.#mark = mark;
    this.#reads++;
  }

  /** What the session had seen elsewhere. `mark` is numbered now. */
  carry(mark: CommitMark): void {
    // Its proof alone says nothing of what was read here before.
    this.#mark = this.#mark ? { ...mark, proof: furthest(this.#mark.proof, mark.proof) } : mark;
    this.#last = undefined;
    this.#reads++;
  }

  isLast(from: NodeRun): boolean {
    return isSame(this.#last, from);
  }
}

function isSame(a: NodeRun | undefined, b: NodeRun): boolean {
  return a?.node === b.node && a.run === b.run;
}
