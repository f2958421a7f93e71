import type { StateChange } from './replicas';

/**
 * Tells of a replica that goes down, with each cause once, and that it is back: not of each trial.
 */
export function healthLog(log: (message: string) => void): (change: StateChange) => void {
  const causes = new Map<string, Set<string>>();
  return ({ node, from, to, because }) => {
    // It may have the name of one that was removed while it was down.
    if (from === 'up') causes.delete(node);
    const known = causes.get(node);
    if (to === 'down' && !known?.has(because)) {
      causes.set(node, new Set(known).add(because));
      const rest = known ? '' : ': no read is sent there until it is back';
      log(`${node} is ${known ? 'still ' : ''}down (${because})${rest}.`);
    } else if (to === 'up' && causes.delete(node)) {
      log(`${node} is back.`);
    }
  };
}
