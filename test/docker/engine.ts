import { spawnSync } from 'node:child_process';
import { getContainerRuntimeClient } from 'testcontainers';

/** The image of every database node: the variable of docker-compose.yml, with its default. */
export const PG_IMAGE = process.env['PG_IMAGE'] ?? 'postgres:18';

/** Whether there is a Docker engine that answers. */
export async function engineAnswers(): Promise<boolean> {
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

/** The command of Docker Compose on this machine, without arguments. */
export function composeCommand(): readonly [string, ...string[]] {
  const commands = [['docker', 'compose'], ['docker-compose']] as const;
  for (const [program, ...args] of commands) {
    if (spawnSync(program, [...args, 'version']).status === 0) return [program, ...args];
  }
  throw new Error('Docker Compose is needed here: neither docker compose nor docker-compose runs');
}
