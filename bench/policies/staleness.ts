/** Tells a read that shows too little from one that shows enough. */
export type Shows<Seen> = (seen: Seen, written: number) => boolean;

export type Freshness = 'fresh' | 'stale' | 'overlapping';

/** The newest version that was written of each thing (a row, a list). */
class Newest {
  readonly #versions = new Map<string, number>();

  of(thing: string): number | undefined {
    return this.#versions.get(thing);
  }

  note(thing: string, version: number): void {
    const before = this.#versions.get(thing);
    if (before === undefined || version > before) this.#versions.set(thing, version);
  }

  takeAll(other: Newest): void {
    for (const [thing, version] of other.#versions) this.note(thing, version);
  }
}

/** What one user has written. */
export class UserWrites {
  /** In operations that the user has had the response to. */
  readonly #answered = new Newest();
  /** In those still running as well. */
  readonly #acknowledged = new Newest();

  begin(): OperationWrites {
    return new OperationWrites(this.#answered, this.#acknowledged);
  }
}

/**
 * One operation of a user: what its reads have to show.
 *
 * - What it wrote itself, from the commit's acknowledgement on.
 * - What operations wrote whose response its user had before this one was sent. A read that shows
 *   less than these two is `stale`.
 * - What another operation of the user has written and not answered yet: no client can know of it.
 *   A read that shows less is `overlapping`, which breaks no promise.
 */
export class OperationWrites {
  readonly #promised = new Newest();
  readonly #own = new Newest();

  constructor(
    private readonly answered: Newest,
    private readonly acknowledged: Newest,
  ) {
    this.#promised.takeAll(answered);
  }

  /** A commit was acknowledged. */
  wrote(thing: string, version: number): void {
    this.#own.note(thing, version);
    this.#promised.note(thing, version);
    this.acknowledged.note(thing, version);
  }

  /** Called when a read is about to be sent; the answer is judged by what was known then. */
  expect<Seen>(thing: string, shows: Shows<Seen>): (seen: Seen) => Freshness {
    const promised = this.#promised.of(thing);
    const acknowledged = this.acknowledged.of(thing);
    return (seen) => {
      if (promised !== undefined && !shows(seen, promised)) return 'stale';
      if (acknowledged !== undefined && !shows(seen, acknowledged)) return 'overlapping';
      return 'fresh';
    };
  }

  /** The response has reached the client. */
  answer(): void {
    this.answered.takeAll(this.#own);
  }
}

/** A row shows a change of its own version, and every change after it. */
export const rowShows: Shows<number | undefined> = (version, written) =>
  version !== undefined && version >= written;

/** A list of the newest rows shows a row unless newer ones have pushed it out. */
export function listShows(limit: number): Shows<readonly number[]> {
  return (ids, written) =>
    ids.includes(written) || (ids.length === limit && ids.every((id) => id > written));
}
