import { readFileSync, statfsSync } from 'node:fs';

const PLACE = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Lets temporary folders, and so the data of the clusters, lie in memory where there is plenty of
 * it: a cluster is up three times as fast. Child processes inherit it.
 */
export function keepDataInMemory(): void {
  if (process.env['TMPDIR'] === undefined && isRoomy()) process.env['TMPDIR'] = PLACE;
}

function isRoomy(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === PLACE);
    // Some tests run programs from a temporary folder.
    if (mount === undefined || /\bnoexec\b/.test(mount)) return false;
    const { bavail, bsize } = statfsSync(PLACE);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}
