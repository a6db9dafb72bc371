import { readFileSync } from 'node:fs';
import type { GaugeSamples } from '../ports/metrics.ts';

const STATUS = '/proc/self/status';
const KINDS = [
  ['anonymous', 'RssAnon'],
  ['file', 'RssFile'],
] as const;

/** Returns the resident memory of this process by kind; nothing where the system does not tell. */
export function residentMemory(): GaugeSamples<'chancery_resident_memory_bytes'> {
  const status = statusText();
  return KINDS.flatMap(([kind, field]) => {
    const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'mu').exec(status)?.[1];
    return kibibytes === undefined ? [] : [[{ kind }, Number(kibibytes) * 1024] as const];
  });
}

function statusText(): string {
  try {
    return readFileSync(STATUS, 'latin1');
  } catch {
    return '';
  }
}
