import { appendFile, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { escapeIdentifier } from 'pg';
import type { Programs } from './programs';
import { run, type RunAs } from './run';

/** The superuser of every node. */
export const superuser = 'postgres';

/** Values of server settings by name. */
export type Settings = Readonly<Record<string, string | number | boolean>>;

/**
 * Makes a fresh data directory.
 * A new one for each cluster, not a template copied again and again, so that two clusters never
 * share a system identifier.
 */
export async function createDataDirectory(
  dir: string,
  password: string,
  programs: Programs,
  runAs: RunAs | undefined,
): Promise<void> {
  await makeFolder(dir, runAs);
  const passwordFile = `${dir}.password`;
  await writeOwned(passwordFile, password, runAs);
  await run(
    programs.initdb,
    [
      ...['-D', dir, '--username', superuser, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-locale'],
      ...['--no-sync', '--no-instructions'],
    ],
    { runAs },
  );
  await rm(passwordFile);
}

/** Creates a database in a data directory that no server runs on. */
export async function createDatabase(
  dir: string,
  database: string,
  programs: Programs,
  runAs: RunAs | undefined,
): Promise<void> {
  const sql = `CREATE DATABASE ${escapeIdentifier(database)}\n`;
  await run(programs.postgres, ['--single', '-D', dir, 'postgres'], { runAs, input: sql });
}

/** Copies a data directory that no server runs on, which gives a node that can follow the first. */
export async function copyDataDirectory(from: string, to: string, runAs: RunAs | undefined) {
  await makeFolder(to, runAs);
  await run('cp', ['-Rp', `${from}/.`, `${to}/`], { runAs });
}

/** Marks the data directory as a standby's: its server will follow, not write. */
export async function markStandby(dir: string, runAs: RunAs | undefined): Promise<void> {
  await writeOwned(path.join(dir, 'standby.signal'), '', runAs);
}

/** Adds settings to a node's `postgresql.conf`, where the last one of a name counts. */
export async function addSettings(dir: string, settings: Settings): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quoted(value)}\n`);
  await appendFile(path.join(dir, 'postgresql.conf'), lines.join(''));
}

function quoted(value: string | number | boolean): string {
  const text = String(value).replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n');
  return `'${text}'`;
}

async function makeFolder(dir: string, runAs: RunAs | undefined): Promise<void> {
  await mkdir(dir, { mode: 0o700 });
  if (runAs) await chown(dir, runAs.uid, runAs.gid);
}

async function writeOwned(file: string, text: string, runAs: RunAs | undefined): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
  if (runAs) await chown(file, runAs.uid, runAs.gid);
}
