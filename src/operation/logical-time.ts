// Of this process, over all handles: time stamps tie, numbers don't.
let sequence = 0;

/** The logical time: grows with every mark and every commit in this process. */
export function logicalTime(): number {
  return sequence;
}

/** A moment after all others so far. */
export function nextTime(): number {
  return ++sequence;
}
