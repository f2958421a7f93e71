import { setTimeout as pause } from 'node:timers/promises';
import { isConflict } from './conflict';
import { PRIMARY, type Fault } from '../history';
import { Random } from '../random';
import type { Ground, Standby } from './ground';
import { FAILOVER, PRIMARY_DEEDS } from './primary-faults';
import { LAG_DEEDS, LOSS_DEEDS, NAME_DEEDS, type Deed } from './replica-faults';

/** What a round is about. */
export type Theme = 'lag' | 'loss' | 'names' | 'primary';

export const THEMES: readonly Theme[] = ['lag', 'loss', 'names', 'primary'];

const DEEDS: Readonly<Record<Theme, readonly Deed[]>> = {
  lag: LAG_DEEDS,
  loss: [...LOSS_DEEDS, ...LAG_DEEDS.map((deed) => ({ ...deed, weight: deed.weight / 4 }))],
  names: [...NAME_DEEDS, ...LAG_DEEDS.map((deed) => ({ ...deed, weight: deed.weight / 6 }))],
  primary: LAG_DEEDS,
};

const LONGEST_GAP_MS = 500;
/** What primaries are spared between two faults: time in which errors are not excused. */
const PRIMARY_GAP_MS = [3500, 6000] as const;

/** What was meant to be broken could not be: the run means nothing. */
class DeedError extends Error {
  constructor(node: string, what: string, cause: unknown) {
    super(`${node}, ${what}: ${String(cause)}`, { cause });
  }
}

/** Breaks a cluster, one thing after another, in the order that its seed says. */
export class Nemesis {
  readonly #ground: Ground;
  readonly #random: Random;
  /** Of the other loop: the two must not depend on each other's pace. */
  readonly #primaryRandom: Random;
  readonly #tell: (fault: Fault) => void;
  readonly #theme: Theme;
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(ground: Ground, theme: Theme, seed: number, tell: (fault: Fault) => void) {
    this.#ground = ground;
    this.#theme = theme;
    this.#random = Random.of(seed, 'nemesis', theme);
    this.#primaryRandom = Random.of(seed, 'nemesis of the primary');
    this.#tell = tell;
  }

  /** Every replica is behind from the start, each in its own way. */
  async prepare(): Promise<void> {
    const lags = this.#random.sample([20, 60, 150, 400], this.#ground.standbys.length);
    await Promise.all(
      this.#ground.standbys.map(({ node }, index) => node.setLag(lags[index % lags.length] ?? 0)),
    );
  }

  start(): void {
    const loops = [this.#harmReplicas()];
    if (this.#theme === 'primary') loops.push(this.#harmPrimary());
    this.#running = Promise.all(loops);
    // Told by stop().
    this.#running.catch(() => undefined);
  }

  /** Resolves once what was being done is done. Rejects when something could not be done at all. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #isOn(): boolean {
    return !this.#stop.signal.aborted;
  }

  async #harmReplicas(): Promise<void> {
    const deeds = DEEDS[this.#theme].map((deed): [number, Deed] => [deed.weight, deed]);
    while (this.#isOn()) {
      await this.#sleep(this.#random.between(0, LONGEST_GAP_MS));
      const standby = this.#random.pick(this.#ground.standbys);
      const deed = this.#random.weighted(deeds);
      if (!this.#isOn() || standby.node.promoted || deed.fits?.(this.#ground, standby) === false)
        continue;
      try {
        await this.#do(deed, standby, standby.node.name, this.#random);
      } catch (error) {
        // What needs the primary can't be done while it is down.
        if (this.#theme !== 'primary') throw error;
      }
    }
  }

  async #harmPrimary(): Promise<void> {
    const random = this.#primaryRandom;
    const deeds = PRIMARY_DEEDS.map((deed): [number, Deed] => [deed.weight, deed]);
    let failedOver = false;
    while (this.#isOn()) {
      await this.#sleep(random.between(...PRIMARY_GAP_MS));
      if (!this.#isOn()) return;
      const standby = random.pick(this.#ground.standbys);
      const over: boolean =
        !failedOver && random.chance(0.3) && FAILOVER.fits?.(this.#ground, standby) === true;
      failedOver ||= over;
      await this.#do(over ? FAILOVER : random.weighted(deeds), standby, PRIMARY, random);
    }
  }

  async #do(deed: Deed, standby: Standby, node: string, random: Random): Promise<void> {
    const id = `f-${this.#theme}${++this.#count}`;
    // What was told once it was begun.
    const begun: string[] = [];
    const note = (state: Fault['state'], what: string) =>
      this.#tell({ type: 'fault', at: Date.now(), id, node, what, state });
    const tell = (how: string) => {
      begun.push(how);
      note('begins', how);
    };
    try {
      await deed.run(this.#ground, standby, random, tell);
    } catch (error) {
      if (!isConflict(error)) throw new DeedError(standby.node.name, deed.what, error);
    } finally {
      for (const how of begun) note('ends', how);
    }
  }

  async #sleep(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
