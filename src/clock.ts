/**
 * Clock and timers, taken once at load: an application's tests replace the global ones with fakes,
 * and a freshness window that stands still (or jumps) would decide wrongly.
 */
const { performance } = globalThis;
const nativeSetTimeout = globalThis.setTimeout;
const nativeClearTimeout = globalThis.clearTimeout;
const nativeSetImmediate = globalThis.setImmediate;

const readNow = performance.now.bind(performance);
const origin = performance.timeOrigin;
const wallClock = Date.now.bind(Date);

/** The longest that a timer runs, in milliseconds: a longer one fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds on a clock that never goes back. */
export function now(): number {
  return readNow();
}

/** A reading of {@link now} as milliseconds since the epoch, for people and logs. */
export function toEpochMs(monotonic: number): number {
  return origin + monotonic;
}

/** Milliseconds since the epoch, to compare with those of other processes. */
export function epochMs(): number {
  return wallClock();
}

/** A timer that keeps no process alive. */
export function later(ms: number, fn: () => void): { cancel(): void } {
  const timer = nativeSetTimeout(fn, ms);
  timer.unref();
  return { cancel: () => nativeClearTimeout(timer) };
}

/** A timer that keeps the process alive until it fires: somebody waits for it. */
export function alarm(ms: number, fn: () => void): { cancel(): void } {
  const timer = nativeSetTimeout(fn, ms);
  return { cancel: () => nativeClearTimeout(timer) };
}

/** Runs `fn` once what has come over the network meanwhile was heard. */
export function afterInput(fn: () => void): void {
  nativeSetImmediate(fn);
}
