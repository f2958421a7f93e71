import { execFileSync } from 'node:child_process';
import { Program } from '../example/program';

/** What stands in for parts of a command, so that it can run beside others. */
export interface Changes {
  /** Settings before it, added or replaced. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments after its own. */
  readonly more?: readonly string[];
  /** The folder to run it in, in place of this repository. */
  readonly cwd?: string;
}

/** A command as a README shows it: `PORT=0 npm run example`. */
export class Command {
  /** What is set before it. */
  readonly settings: Readonly<Record<string, string>>;
  /** The program, and what it is told. */
  readonly words: readonly string[];

  constructor(readonly text: string) {
    const words = splitByShell(text);
    const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
    this.words = words.slice(first);
    this.settings = Object.fromEntries(
      words.slice(0, first).map((word) => {
        const at = word.indexOf('=');
        return [word.slice(0, at), word.slice(at + 1)];
      }),
    );
  }

  /** Starts it as a terminal does. */
  start({ env = {}, more = [], cwd }: Changes = {}): Program {
    const [program = '', ...args] = this.words;
    return new Program([program, ...args, ...more], { ...this.settings, ...env }, cwd);
  }

  /** Runs it to its end; what it printed is in the answer. */
  async run(changes?: Changes): Promise<{ status: unknown; out: string; err: string }> {
    const program = this.start(changes);
    try {
      const status = await program.end();
      return { status, out: program.out, err: program.err };
    } finally {
      program.dispose();
    }
  }
}

/** Quotes and `$(...)` mean what they mean there. */
function splitByShell(text: string): string[] {
  const script = `set -- ${text}; printf '%s\\0' "$@"`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}
