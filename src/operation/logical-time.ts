// Of this process, over all handles: time stamps tie, numbers don't.
let sequence = 0;

/** The logical time: grows with every mark, every commit and every clearing of a loader in this process. */
export function logicalTime(): number {
  return sequence;
}

/** A moment after all others so far. */
export function nextTime(): number {
  return ++sequence;
}
