import type { StateChange } from './replicas';

/** Tells of a replica that goes down, once and with the cause, and that it is back: not of each trial. */
export function healthLog(log: (message: string) => void): (change: StateChange) => void {
  const down = new Set<string>();
  return ({ node, from, to, because }) => {
    // It may have the name of one that was removed while it was down.
    if (from === 'up') down.delete(node);
    if (to === 'down' && !down.has(node)) {
      down.add(node);
      log(`${node} is down (${because}): no read is sent there until it is back.`);
    } else if (to === 'up' && down.delete(node)) {
      log(`${node} is back.`);
    }
  };
}
