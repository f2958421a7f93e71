import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { engineAnswers } from './engine';

// The suites that ask nothing of the shared cluster but what containers can do, and their own one.
const FILES = [
  'test/docker/*.docker.ts',
  'test/integration/routing.test.ts',
  'test/integration/query-surface.test.ts',
  'test/integration/feeds-writes.test.ts',
  'test/integration/records.test.ts',
  'test/integration/lag.test.ts',
  'test/matrix/locks.test.ts',
  'test/traps/*.test.ts',
];

async function main(): Promise<number> {
  if (!(await engineAnswers())) {
    const inCi = process.env['CI'] === 'true';
    console.log(inCi ? 'no Docker engine: failed, for CI is true' : 'no Docker engine: skipped');
    return inCi ? 1 : 0;
  }
  const root = path.join(__dirname, '../..');
  const mocha = path.join(path.dirname(require.resolve('mocha/package.json')), 'bin/mocha.js');
  const args = [mocha, '--require', './test/docker/use-containers.ts', ...FILES];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

main().then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
