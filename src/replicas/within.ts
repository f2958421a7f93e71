import type { Timers } from './types';

/** Nothing came back from a node in the time it was given. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

const SLICES = 4;

/**
 * Settles like `work`, or rejects with a {@link NoAnswerError} after `ms`. The time is counted in
 * slices: when this process itself was blocked, the answer may lie unread in the socket, and the
 * whole pause counts as one slice only.
 */
export function within<T>(work: Promise<T>, ms: number, what: string, timers: Timers): Promise<T> {
  return new Promise((resolve, reject) => {
    let slices = 0;
    let timer: { cancel(): void };
    const next = (): void => {
      timer = timers.later(ms / SLICES, () => {
        slices += 1;
        if (slices < SLICES) next();
        else reject(new NoAnswerError(`${what}: no answer within ${ms} ms`));
      });
    };
    next();
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
