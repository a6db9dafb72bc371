import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnNodeNewEnough, runtimePackage } from './installed.mjs';

/**
 * Returns the program of the pinned Node 26; a machine's own Node serves where it is as new.
 * @param {string} modules the folder of the packages
 * @returns {{ program: string } | { failure: string }}
 */
export function runtime(modules) {
  const pinned = runtimePackage === undefined ? undefined : join(modules, runtimePackage, 'bin/node');
  if (pinned !== undefined && existsSync(pinned))
    return proven(pinned, join(modules, '.chancery-runtime-starts'));
  if (isOwnNodeNewEnough) return { program: process.execPath };
  return {
    failure: `no pinned runtime for ${process.platform}-${process.arch}; run this with Node 26 or later`,
  };
}

/** Names a library that the binary lacks, which the loader would report at each command. A mark remembers that it starts. */
function proven(program, mark) {
  if (existsSync(mark)) return { program };
  const { status, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (status !== 0) {
    const reason = (error?.message ?? stderr).trim();
    const remedy = /libatomic/.test(reason) ? ' (on Debian and Ubuntu: apt-get install libatomic1)' : '';
    return { failure: `the pinned runtime does not start on this machine: ${reason}${remedy}` };
  }
  try {
    writeFileSync(mark, '');
  } catch {
    // A read-only installation asks at each start: 20 ms.
  }
  return { program };
}
