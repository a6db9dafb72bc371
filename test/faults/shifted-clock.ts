import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PRELOADED = new URL('shifted-date.mjs', import.meta.url);

/** The wall clock of one process, which tests set while it runs. Its monotonic clock goes on as it is. */
export interface ShiftedClock {
  /** For the environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sets the offset from the true time, in seconds. */
  set(offset: number): void;
}

export function shiftedClock(folder: string, name: string, offset = 0): ShiftedClock {
  const file = join(folder, `clock-${name}`);
  const set = (seconds: number): void => {
    // The process may read at any moment: it finds the old offset or the new one.
    writeFileSync(`${file}.new`, String(seconds));
    renameSync(`${file}.new`, file);
  };
  set(offset);
  return {
    environment: { NODE_OPTIONS: `--import=${PRELOADED.href}`, TEST_CLOCK_OFFSET_FILE: file },
    set,
  };
}

/** Returns the Unix time that another program sees on the same clock, so that a clock that does not shift is noticed. */
export function nowOf({ environment }: ShiftedClock): number {
  const env = { ...process.env, ...environment };
  return Number(
    execFileSync(process.execPath, ['-p', 'Math.floor(Date.now() / 1000)'], { env, encoding: 'utf8' }),
  );
}
