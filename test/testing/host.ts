/** A program that starts a cluster and then ends in the way its argument names, never calling stop(). */
import { startCluster } from '../../src/testing';
import { remainsOf } from './support';

async function host(ending: string): Promise<void> {
  const cluster = await startCluster({ replicas: ending === 'freeze' ? 1 : 0 });
  console.log(`up ${JSON.stringify(await remainsOf(cluster))}`);
  if (ending === 'freeze') await cluster.replicas[0]?.freeze();
  const alive = setInterval(() => undefined, 1_000);
  if (ending === 'listen') {
    process.on('SIGINT', () => {
      console.log('the listener of the host ran');
      process.exitCode = 7;
      clearInterval(alive);
    });
  }
  console.log('ready');
  if (ending === 'return') clearInterval(alive);
  if (ending === 'exit') process.exit(3);
  if (ending === 'throw') {
    setImmediate(() => {
      throw new Error('an error of the host');
    });
  }
}

void host(process.argv[2] ?? 'wait');
