import { keepDataInMemory } from '../test/support/data-in-memory';
import { ArgumentError, USAGE, readArguments, type Arguments } from './arguments';
import { hunt } from './hunt';
import { MutantError, compileMutant, mutantCalled } from './mutate';
import { run, summaryOf } from './run';
import { hushSequelize } from './clients/hush';
import { builtPackage } from './clients/package';

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** @returns the exit status: 0 where everything held, 1 where something did not */
async function main(args: Arguments): Promise<number> {
  keepDataInMemory();
  hushSequelize();
  const fresh = process.env['FRESH_READS'] !== 'off';
  say(`seed ${args.seed}, ${args.minutes} min, ${args.replicas} replicas`);
  if (!fresh) say(`fresh reads OFF: Sequelize's own replication, expect stale answers`);
  if (args.mutants) return (await hunt(args.mutants, { ...args, say })) ? 0 : 1;
  const broken = args.broken === undefined ? undefined : mutantCalled(args.broken);
  if (broken) say(`broken on purpose: ${broken.without}`);
  const mutant = broken && (await compileMutant(broken));
  const folder = mutant?.folder ?? builtPackage;
  const totals = await run({ ...args, folder, fresh, say }).finally(() => mutant?.remove());
  const held = totals.stale + totals.errors + totals.wrong === 0;
  if (!held) {
    const off = fresh ? '' : 'FRESH_READS=off ';
    const without = broken ? ` --break ${broken.name}` : '';
    say(
      `repeat with: ${off}npm run chaos -- --seed ${args.seed} --minutes ${args.minutes} --replicas ${args.replicas}${without}`,
    );
  }
  if (totals.wrong > 0) say(`${totals.wrong} commits lost, or reads of what never was`);
  say(summaryOf(totals));
  return held ? 0 : 1;
}

async function start(): Promise<number> {
  if (process.argv.includes('--help')) {
    say(USAGE);
    return 0;
  }
  return main(readArguments(process.argv.slice(2)));
}

start().then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    if (error instanceof ArgumentError) console.error(`${error.message}\n\n${USAGE}`);
    else console.error(error instanceof MutantError ? error.message : error);
    // The clients of a run that broke off would go on for ever.
    process.exit(2);
  },
);
