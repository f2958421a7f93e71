import { backoffMs } from './backoff';
import type { Timers, Trouble } from './types';

/** `suspect`: one connect is under way to find out; no read is sent there meanwhile. */
export type NodeState =
  | { readonly kind: 'up' }
  | { readonly kind: 'suspect'; readonly because: Trouble; readonly error: unknown }
  | {
      readonly kind: 'down';
      readonly because: Trouble;
      readonly error: unknown;
      /** Failures since the node last served a statement. */
      readonly failures: number;
      /** Time from this state's beginning to the next trial. */
      readonly retryInMs: number;
    };

export interface StateChange {
  readonly node: string;
  readonly from: NodeState['kind'];
  readonly to: NodeState['kind'];
  /** `'answers'` when it came up. */
  readonly because: Trouble | 'answers';
}

export type TrialResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly because: Trouble; readonly error: unknown };

const UP: NodeState = Object.freeze({ kind: 'up' });

/**
 * The health of one node. A doubt makes it suspect and starts one trial; a failure puts it down, and
 * after a growing pause it is suspect again. A trial that succeeds brings it up, but the pauses go on
 * growing until the node has served a statement: one that accepts connections and then drops them
 * must not be asked all the time.
 */
export class NodeHealth {
  readonly #trial: () => Promise<TrialResult>;
  readonly #onChange: (from: NodeState, to: NodeState) => void;
  readonly #timers: Timers;
  readonly #random: () => number;
  #state = UP;
  #failures = 0;
  #retry: { cancel(): void } | undefined;
  #closed = false;

  constructor(parts: {
    /** One connect. Never rejects. */
    trial: () => Promise<TrialResult>;
    onChange: (from: NodeState, to: NodeState) => void;
    timers: Timers;
    random: () => number;
  }) {
    this.#trial = parts.trial;
    this.#onChange = parts.onChange;
    this.#timers = parts.timers;
    this.#random = parts.random;
  }

  get state(): NodeState {
    return this.#state;
  }

  /** Something happened that a dead node would explain, and a healthy one too. */
  doubt(because: Trouble, error?: unknown): void {
    if (this.#closed || this.#state.kind !== 'up') return;
    if (this.#failures > 0) this.fail(because, error);
    else this.#try(because, error);
  }

  /** A connect failed, or the node has stopped answering. */
  fail(because: Trouble, error?: unknown): void {
    if (this.#closed || this.#state.kind === 'down') return;
    this.#failures += 1;
    const retryInMs = backoffMs(this.#failures, this.#random);
    this.#retry = this.#timers.later(retryInMs, () => this.#try(because, error));
    this.#enter({ kind: 'down', because, error, failures: this.#failures, retryInMs });
  }

  /** The node has served a statement. */
  served(): void {
    if (this.#state.kind === 'up') this.#failures = 0;
  }

  /** Ends the trials. The state stays as it is. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
  }

  #try(because: Trouble, error: unknown): void {
    const trying: NodeState = { kind: 'suspect', because, error };
    this.#enter(trying);
    void this.#trial().then((result) => {
      if (this.#closed || this.#state !== trying) return;
      if (result.ok) this.#enter(UP);
      else this.fail(result.because, result.error);
    });
  }

  #enter(state: NodeState): void {
    const from = this.#state;
    this.#state = state;
    this.#onChange(from, state);
  }
}
