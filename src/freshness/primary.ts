import { notices } from './notices';
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

/** With a second between two of them, as the probe's backoff has it. */
const REFUSALS_BEFORE_RETURN = 30;

/** Which server is the primary. Decides when another one has taken its place. */
export class Primary {
  /** Grows when a connection is lost or the server changes: older answers count for nothing. */
  generation = 0;
  /** The newest position it gave. */
  position: bigint | undefined;
  #direct = true;
  #refusals = 0;
  #known: Pick<Reading, 'system' | 'server' | 'timeline'> | undefined;
  readonly #earlier = new Set<string>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  get known(): boolean {
    return this.#known !== undefined;
  }

  /** Only servers that are not it were met lately. */
  get missing(): boolean {
    return this.#refusals > 0;
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

  /** Notes a position that it gave: answers may overtake each other, so it never falls here. */
  reach(position: bigint): void {
    if (this.position === undefined || position > this.position) this.position = position;
  }

  lost(): void {
    this.generation++;
    this.position = undefined;
  }

  /** Whether it is known which server a statement or a commit went to. */
  get direct(): boolean {
    return this.#direct;
  }

  /**
   * @param since the newest position known when a sample was asked for: below it is a restart
   * @param isSample the answer to a probe, not the introduction of another connection
   */
  meet(reading: Reading, since: bigint | undefined, isSample: boolean): Meeting {
    if (reading.standby) {
      this.#warn(notices.standbyAsPrimary());
      return 'refused';
    }
    const known = this.#known;
    const sameCluster = known !== undefined && known.system === reading.system;
    const advance = sameCluster ? (reading.timeline ?? 0) - (known.timeline ?? 0) : 0;
    const isOld = advance < 0 || (advance === 0 && this.#earlier.has(reading.server));
    if (isOld && !this.#isBack(isSample)) {
      this.#warn(notices.oldPrimary());
      return 'refused';
    }
    this.#refusals = 0;
    this.#earlier.delete(reading.server);
    const same =
      sameCluster && known.server === reading.server && known.timeline === reading.timeline;
    const wentBack = isSample && since !== undefined && (reading.position ?? 0n) < since;
    if (!reading.direct) this.#beOpaque();
    if (known && known.server !== reading.server) this.#earlier.add(known.server);
    this.#known = reading;
    if (known && (!same || wentBack)) {
      this.lost();
      return 'changed';
    }
    return known ? 'same' : 'new';
  }

  /**
   * Whether an old primary is to be taken for the primary again. Not while the one that replaced it
   * may be there: both take writes then. But when probes, which are paced, have met nothing else for
   * half a minute, the failover was undone; to refuse it for ever would be an outage.
   */
  #isBack(isSample: boolean): boolean {
    if (isSample) this.#refusals++;
    else this.#refusals ||= 1;
    return this.#refusals > REFUSALS_BEFORE_RETURN;
  }

  /** For good: commits of connections made earlier may have gone anywhere. */
  #beOpaque(): void {
    this.#direct = false;
    this.#warn(notices.primaryBehindProxy());
  }
}
