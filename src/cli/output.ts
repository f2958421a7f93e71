/** Where a command prints its lines. */
export interface Output {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** The command line can't be understood: exit code 2. */
export class UsageError extends Error {}
