import { nextTime } from '../operation';
import type { KeyId } from './codec';

/** Any more are not told apart. */
const MOST_KEYS = 1000;
const NEVER = -1;

/** Which keys of a loader were cleared when: what was read before may still come from other loaders. */
export class Cleared {
  #all = NEVER;
  readonly #keys = new Map<KeyId, number>();

  /** One key, or all. */
  note(key: KeyId | undefined): void {
    if (key !== undefined && this.#keys.size < MOST_KEYS) {
      this.#keys.set(key, nextTime());
      return;
    }
    this.#keys.clear();
    this.#all = nextTime();
  }

  /** Whether `key` was cleared after the logical time `asOf`. */
  since(asOf: number, key: KeyId): boolean {
    return asOf < this.#all || asOf < (this.#keys.get(key) ?? NEVER);
  }
}
