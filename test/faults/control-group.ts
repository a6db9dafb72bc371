import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CONTROL_GROUPS = '/sys/fs/cgroup/memory';

/** A control group that limits the memory of the processes in it (cgroup v1). */
export interface MemoryGroup {
  /** Writes an executable into `folder` that starts Node in the group. The group counts its memory from the first page on. */
  runtimeIn(folder: string): string;
  /** Returns the most that the group has used, in bytes, page cache included. */
  most(): number;
  /** Returns the memory that belongs to the processes alone (`anonymous`) and the pages of files, in bytes. */
  use(): { readonly anonymous: number; readonly files: number };
  /** Removes the group, which must be empty. */
  remove(): void;
}

let made = 0;

/** @returns undefined where this process may not make a control group */
export function memoryGroup(limit_bytes: number): MemoryGroup | undefined {
  made += 1;
  const group = `${CONTROL_GROUPS}/chancery-faults-${process.pid}-${made}`;
  try {
    mkdirSync(group);
    writeFileSync(`${group}/memory.limit_in_bytes`, String(limit_bytes));
  } catch {
    return undefined;
  }
  const stat = (name: string): number => {
    const text = readFileSync(`${group}/memory.stat`, 'latin1');
    return Number(new RegExp(`^${name} (\\d+)$`, 'mu').exec(text)?.[1] ?? Number.NaN);
  };
  return {
    runtimeIn(folder) {
      const runtime = join(folder, 'in-group');
      const script = `#!/bin/sh\necho $$ >${group}/cgroup.procs\nexec ${process.execPath} "$@"\n`;
      writeFileSync(runtime, script, { mode: 0o700 });
      return runtime;
    },
    most: () => Number(readFileSync(`${group}/memory.max_usage_in_bytes`, 'latin1')),
    use: () => ({ anonymous: stat('total_rss'), files: stat('total_cache') }),
    remove: () => rmdirSync(group),
  };
}
