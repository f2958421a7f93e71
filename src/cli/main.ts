import { readFileSync } from 'node:fs';
import path from 'node:path';
import { echo, isFreshReadsError, isOptionsError } from '../errors';
import { clusterCommand } from './cluster-command';
import { UsageError, type Output } from './output';

const usage = `Usage: fresh-reads <command> [options]

Commands:
  cluster     keep a PostgreSQL primary with streaming standbys up until Ctrl-C

Options:
  -h, --help     show this, or after a command what it takes
  -v, --version  show the version`;

/**
 * Runs the command line `fresh-reads <args>` and resolves with its exit code: 0 done, 1 failed,
 * 2 the command line makes no sense. Never rejects.
 */
export async function main(args: readonly string[], output: Output): Promise<number> {
  try {
    return await dispatch(args, output);
  } catch (error) {
    if (error instanceof UsageError || isOptionsError(error)) {
      output.err(`fresh-reads: ${error.message}`);
      return 2;
    }
    if (isFreshReadsError(error)) output.err(`fresh-reads: ${error.message}`);
    else output.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  }
}

async function dispatch([command, ...rest]: readonly string[], output: Output): Promise<number> {
  switch (command) {
    case 'cluster':
      return clusterCommand(rest, output);
    case '-h':
    case '--help':
      output.out(usage);
      return 0;
    case '-v':
    case '--version':
      output.out(version());
      return 0;
    case undefined:
      output.err(usage);
      return 2;
    default:
      throw new UsageError(
        `there is no ${command.startsWith('-') ? 'option' : 'command'} ${echo(command)}; see fresh-reads --help`,
      );
  }
}

function version(): string {
  const file = path.join(__dirname, '..', '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
