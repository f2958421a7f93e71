const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

// npm passes a Ctrl-C on to its child, which has it from the terminal already: two within a moment.
const SAME_MS = 500;

/**
 * Resolves at the first Ctrl-C (or SIGTERM), after calling `onFirst`. A second one ends the process
 * at once; the embedded cluster sees to its own end then.
 */
export function onStopSignal(onFirst: () => void): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const listener = () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        onFirst();
        resolve();
      } else if (performance.now() - firstAt > SAME_MS) {
        process.exit(130);
      }
    };
    for (const signal of SIGNALS) process.on(signal, listener);
  });
}
