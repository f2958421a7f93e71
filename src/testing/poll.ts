import timers from 'node:timers/promises';
import { now } from '../clock';
import { ClusterError } from '../errors';

// Taken at load, so that fake timers of the test that uses a cluster don't stop it.
const sleep = timers.setTimeout;

/** The default bound, in milliseconds, on waiting for a server to do something. */
export const patienceMs = 60_000;

/**
 * Asks `holds` again every 10 ms until it answers true.
 * @throws ClusterError naming `what` when `timeoutMs` have passed first.
 */
export async function until(
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  timeoutMs = patienceMs,
): Promise<void> {
  const deadline = now() + timeoutMs;
  while (!(await holds())) {
    if (now() >= deadline) {
      const text = typeof what === 'string' ? what : what();
      throw new ClusterError(`gave up after ${timeoutMs} ms waiting until ${text}`);
    }
    await sleep(10);
  }
}

/** Whether `promise` settles within `timeoutMs`. */
export async function settlesWithin(promise: Promise<unknown>, timeoutMs: number) {
  const cancel = new AbortController();
  try {
    return await Promise.race([
      promise.then(() => true),
      sleep(timeoutMs, false, { signal: cancel.signal }),
    ]);
  } finally {
    cancel.abort();
  }
}
