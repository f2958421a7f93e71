import { MUTANTS, type Mutant } from './mutants';
import { compileMutant, mutantCalled, patchedSources } from './mutate';
import { run, type RunOptions, type Totals } from './run';

/** The time that a run has to find out that a rule is missing, in minutes. */
const LIMIT_MIN = 2;

/**
 * Takes every rule away in turn (or those named), and runs until that is found.
 *
 * @returns whether each of them was found
 * @throws MutantError when a rule can't be taken away
 */
export async function hunt(
  names: readonly string[],
  options: Pick<RunOptions, 'seed' | 'replicas' | 'say'>,
): Promise<boolean> {
  const mutants = names.length > 0 ? names.map(mutantCalled) : MUTANTS;
  // Before the first of them takes its two minutes.
  for (const mutant of mutants) await patchedSources(mutant);
  const { say } = options;
  let found = 0;
  for (const mutant of mutants) {
    const { totals, seconds } = await runWithout(mutant, options);
    const how = verdictOn(totals);
    if (how !== undefined) found++;
    const verdict = how === undefined ? 'NOT FOUND' : `found in ${seconds.toFixed(0)} s (${how})`;
    say(`${mutant.name.padEnd(34)}${verdict.padEnd(36)}${mutant.without}`);
  }
  say(`${found} of ${mutants.length} broken rules found`);
  return found === mutants.length;
}

/** Runs the workload on the package without a rule, up to the first violation. */
async function runWithout(
  mutant: Mutant,
  options: Pick<RunOptions, 'seed' | 'replicas'>,
): Promise<{ totals: Totals; seconds: number }> {
  const { folder, remove } = await compileMutant(mutant);
  const from = performance.now();
  try {
    const quiet = { say: () => undefined, fresh: true, stopAtFirst: true, minutes: LIMIT_MIN };
    const totals = await run({ ...options, ...quiet, folder });
    return { totals, seconds: (totals.foundAt - from) / 1000 };
  } finally {
    await remove();
  }
}

function verdictOn({ stale, errors, wrong }: Totals): string | undefined {
  if (stale > 0) return 'stale';
  if (errors > 0) return 'error';
  return wrong > 0 ? 'wrong' : undefined;
}
