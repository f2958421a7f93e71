import { setTimeout as sleep } from 'node:timers/promises';
import type { Decision } from 'sequelize-fresh-reads';
import type { Stage } from './stage';

const PATIENCE_MS = 10_000;

/** One operation that outlives the lag: its reads leave the primary as soon as a replica has its write. */
export async function backToReplicas(stage: Stage): Promise<string> {
  const example = stage.sides.at(-1)?.example;
  if (!example) throw new Error('the demo needs a side with fresh reads');
  const { reads, models } = example;
  let last: Decision | undefined;
  const listening = reads.onDecision((decision) => (last = decision));
  const read = async () => {
    await models.Neighbourhood.count();
    return last;
  };
  const [first, second] = await reads.runOperation({ name: 'long job' }, async () => {
    await models.Neighbourhood.create({ slug: 'long-job', name: 'Written by a job' });
    const atOnce = await read();
    await stage.setLag(0);
    await stage.waitForReplicas();
    const deadline = performance.now() + PATIENCE_MS;
    let later = await read();
    // The replicas have it; that they do is known at the next look at them.
    while (later?.target !== 'replica' && performance.now() < deadline) {
      await sleep(10);
      later = await read();
    }
    return [atOnce, later];
  });
  listening.dispose();
  return `right after the write: ${nameOf(first)}; once they have caught up: ${nameOf(second)}`;
}

function nameOf(decision: Decision | undefined): string {
  return decision ? `${decision.node} (${decision.reason})` : 'nobody';
}
