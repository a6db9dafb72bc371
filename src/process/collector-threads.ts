import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { lowerThreadPriority } from '../storage/priority.ts';

/** As `nice` gives it: they get what the main thread and the writer leave. */
const NICENESS = 19;
const TASKS = '/proc/self/task';

/**
 * Lets V8's own threads go last where there is one core (ADR 103). Four of them mark garbage beside the main thread, and there they had four of
 * five turns for a tenth of a second. A minor collection no longer takes them for its work, because its thread would wait until they had a turn.
 * Call it when the server serves: they compile its code while it starts.
 */
export function letCollectorsGoLast(
  cores = availableParallelism(),
  setFlag: (flag: string) => void = setFlagsFromString,
): void {
  if (cores > 1) return;
  setFlag('--no-parallel-scavenge');
  try {
    for (const thread of readdirSync(TASKS))
      if (readFileSync(`${TASKS}/${thread}/comm`, 'latin1').includes('V8Worker'))
        lowerThreadPriority(NICENESS, Number(thread));
  } catch {
    // Only Linux has these files, and a thread may end meanwhile.
  }
}
