import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Debian's place for it. */
const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** Why clocks cannot be shifted here; undefined where they can. */
export function noShiftedClock(): string | undefined {
  if (existsSync(LIBRARY)) return undefined;
  return 'faketime is not installed (apt-get install faketime)';
}

/** The wall clock of one process, which others set while it runs; its monotonic clock goes on as it is. */
export interface ShiftedClock {
  /** For the environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** In seconds, beside the true time. */
  set(offset: number): void;
}

export function shiftedClock(folder: string, name: string, offset = 0): ShiftedClock {
  const file = join(folder, `clock-${name}`);
  const set = (seconds: number): void =>
    writeFileSync(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  set(offset);
  return {
    environment: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}

/** What `date` says of the same clock, so that a library that does nothing is noticed. */
export function nowOf({ environment }: ShiftedClock): number {
  const env = { ...process.env, ...environment };
  return Number(execFileSync('date', ['+%s'], { env, encoding: 'utf8' }));
}
