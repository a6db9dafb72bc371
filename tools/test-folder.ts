import { chmodSync, existsSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** All temporary files of a run take less than a third of it, those of PostgreSQL most. */
const FREE_BYTES_MIN = 6 * 1024 ** 3;

/**
 * Makes a folder for the temporary files of tests: in memory where the machine has room, so that no test waits for a disk.
 * The programs write and flush in the same way there. The caller removes it.
 */
export function makeTestFolder(): string {
  const folder = mkdtempSync(join(hasRoomInMemory() ? IN_MEMORY : tmpdir(), 'chancery-tests-'));
  // PostgreSQL runs as another user, who must be able to come to its own folder.
  chmodSync(folder, 0o755);
  return folder;
}

function hasRoomInMemory(): boolean {
  if (!existsSync(IN_MEMORY) || !existsSync('/proc/self/mounts')) return false;
  const mount = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, place]) => place === IN_MEMORY);
  const [, , type, options = ''] = mount ?? [];
  // Tests also start programs that they copy there.
  if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= FREE_BYTES_MIN;
}
