import type { Reading } from './reading';

/** How the server that answers under the primary's name relates to the one known so far. */
export type Meeting =
  /** The first one. */
  | 'new'
  | 'same'
  /** Another server, another run or another timeline: no earlier position means anything here. */
  | 'changed'
  /** Not to be used: a standby, or a primary that was replaced and is still there. */
  | 'refused';

/** Which server is the primary. Decides when another one has taken its place. */
export class Primary {
  /** Grows when a connection is lost or the server changes: older answers count for nothing. */
  generation = 0;
  /** The newest position it gave. */
  position: bigint | undefined;
  #direct = true;
  #known: Pick<Reading, 'system' | 'server' | 'timeline'> | undefined;
  readonly #earlier = new Set<string>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  get known(): boolean {
    return this.#known !== undefined;
  }

  get system(): string | undefined {
    return this.#known?.system;
  }

  get timeline(): number | undefined {
    return this.#known?.timeline;
  }

  /** Whether `reading` comes from the very server that is the primary. */
  is(reading: Reading): boolean {
    return this.#known?.server === reading.server && this.#known.system === reading.system;
  }

  lost(): void {
    this.generation++;
    this.position = undefined;
  }

  /** Whether it is known which server a statement or a commit went to. */
  get direct(): boolean {
    return this.#direct;
  }

  /** @param since the newest position known when a sample was asked for: below it is a restart */
  meet(reading: Reading, since: bigint | undefined): Meeting {
    if (reading.standby) {
      this.#warn('the server behind the primary’s name is a standby (in recovery): not used');
      return 'refused';
    }
    const known = this.#known;
    const sameCluster = known !== undefined && known.system === reading.system;
    if (
      this.#earlier.has(reading.server) ||
      (sameCluster && (reading.timeline ?? 0) < (known.timeline ?? 0))
    ) {
      this.#warn(
        'an old primary, replaced by a failover, still answers under the primary’s name: not used. ' +
          'Stop it, or writes sent there will be lost.',
      );
      return 'refused';
    }
    const same =
      sameCluster && known.server === reading.server && known.timeline === reading.timeline;
    const wentBack = since !== undefined && (reading.position ?? 0n) < since;
    if (!reading.direct) this.#beOpaque();
    if (known && known.server !== reading.server) this.#earlier.add(known.server);
    this.#known = reading;
    if (known && (!same || wentBack)) {
      this.lost();
      return 'changed';
    }
    return known ? 'same' : 'new';
  }

  /** For good: commits of connections made earlier may have gone anywhere. */
  #beOpaque(): void {
    this.#direct = false;
    this.#warn(
      'the primary is reached through a proxy that hides which server answers (its process id is ' +
        'not the one announced): nothing is proven, and reads of written tables stay on the primary. ' +
        'Connect to the primary itself.',
    );
  }
}
