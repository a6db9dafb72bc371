import { statfsSync, statSync } from 'node:fs';

/** Bits of a mode: writable by the group or by all, readable by all. */
const FOREIGN_WRITE = 0o022;
const FOREIGN_READ = 0o004;

/** File systems in memory, on which Kubernetes, Docker Swarm and systemd mount secrets: tmpfs and ramfs. */
const MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/**
 * Returns who can read or change a file that holds a secret, and the command that mends it; undefined if other
 * users of the machine can neither read nor change the file. A secret mount of a container often lets all read: on a file
 * system in memory, and as root's file, that is accepted, because only the container sees it. Group members may read.
 * @param worldReadable whether the operator accepts files that all can read
 */
export function secretFileProblem(file: string, worldReadable: boolean): string | undefined {
  if (process.platform === 'win32') return undefined;
  const found = statSync(file, { throwIfNoEntry: false });
  // A pipe has no content that others could read.
  if (found?.isFile() !== true) return undefined;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  const cure = `chmod 600 ${/^[\w./-]+$/u.test(file) ? file : JSON.stringify(file)}`;
  if ((found.mode & FOREIGN_WRITE) !== 0) {
    return `other users can change (mode ${mode}): ${cure}`;
  }
  if ((found.mode & FOREIGN_READ) === 0 || worldReadable) return undefined;
  if (found.uid === 0 && MEMORY.has(statfsSync(file).type)) return undefined;
  return `every user of the machine can read (mode ${mode}): ${cure}, or set secret-files.world-readable`;
}
