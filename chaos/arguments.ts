import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** What a run was asked for. */
export interface Arguments {
  readonly minutes: number;
  readonly seed: number;
  readonly replicas: number;
  /** The rule to run without. */
  readonly broken: string | undefined;
  /** Runs without each rule in turn; of these names only, if there are any. */
  readonly mutants: readonly string[] | undefined;
  readonly stopAtFirst: boolean;
}

/** Bad arguments, said in one line. */
export class ArgumentError extends Error {}

export const USAGE = `npm run chaos -- [--minutes N] [--seed N] [--replicas N] [--break NAME] [--mutants [NAME,...]]

  --minutes N    how long, 0.1 to 600; default 1
  --seed N       repeats the plan of an earlier run; default: a new one, which is printed
  --replicas N   standbys, 1 to 8; default 3
  --break NAME   runs without one of the rules (chaos/mutants.ts), which has to be found
  --mutants      runs without each of the rules in turn, until it is found, at most two minutes each
  --first        ends at the first violation
`;

/** @throws ArgumentError */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args);
  const names = positionals.flatMap((text) => text.split(',')).filter((name) => name !== '');
  if (names.length > 0 && values.mutants !== true) {
    throw new ArgumentError(
      `nothing is known of ${JSON.stringify(names[0])}; names belong to --mutants`,
    );
  }
  return {
    minutes: number('--minutes', values.minutes, { from: 0.1, to: 600 }) ?? 1,
    seed:
      number('--seed', values.seed, { from: 0, to: 2 ** 32 - 1, whole: true }) ??
      randomInt(2 ** 31),
    replicas: number('--replicas', values.replicas, { from: 1, to: 8, whole: true }) ?? 3,
    broken: values.break,
    mutants: values.mutants === true ? names : undefined,
    stopAtFirst: values.first === true,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        replicas: { type: 'string' },
        break: { type: 'string' },
        mutants: { type: 'boolean' },
        first: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new ArgumentError(error instanceof Error ? error.message : String(error));
  }
}

function number(
  name: string,
  text: string | undefined,
  { from, to, whole = false }: { from: number; to: number; whole?: boolean },
): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? NaN : Number(text);
  if (value >= from && value <= to && (!whole || Number.isInteger(value))) return value;
  const kind = whole ? 'a whole number' : 'a number';
  throw new ArgumentError(
    `${name} must be ${kind} from ${from} to ${to}, got ${JSON.stringify(text)}`,
  );
}
