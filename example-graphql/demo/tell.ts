import { backToReplicas } from './back-to-replicas';
import { play, type Outcome } from './play';
import { openStage } from './stage';
import { steps } from './steps';
import { tableOf } from './table';
import { verdictOf, type Verdict } from './verdict';

// Long against any operation here: what makes an answer stale is the lag, not the machine's mood.
const LAG_MS = 5000;

/**
 * Plays every step on Sequelize's own replication and with fresh reads, on the same nodes.
 * @returns the exit status, see {@link Verdict}
 */
export async function tell(say: (line: string) => void): Promise<Verdict['status']> {
  say('The same GraphQL service twice, on one PostgreSQL primary with two streaming replicas:');
  say("on Sequelize's own replication, and with fresh reads. Operations write something and read");
  say('it back. Stale: the answer is not what the primary says right after it.');
  const stage = await openStage();
  try {
    await stage.setLag(LAG_MS);
    say(`Both replicas are ${LAG_MS / 1000} s behind from now on.`);
    const outcomes: Outcome[] = [];
    for (const [index, step] of steps.entries()) {
      const outcome = await play(step, stage);
      outcomes.push(outcome);
      say(`\n${index + 1}. ${step.title}`);
      for (const line of tableOf(step.name, outcome)) say(line);
    }
    say(`\n${steps.length + 1}. A long job writes, reads, lets the replicas catch up, reads again`);
    say(`   ${await backToReplicas(stage)}`);
    const { line, status } = verdictOf(outcomes);
    say(`\n${line}`);
    return status;
  } finally {
    await stage.close();
  }
}
