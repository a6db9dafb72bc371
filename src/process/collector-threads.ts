import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { lowerThreadPriority } from '../storage/priority.ts';

/** As `nice` gives it: they get what the main thread and the writer leave. */
const NICENESS = 19;
/** So long they keep their priority, because they compile the code that the first requests need. */
const COMPILING_MS = 60_000;
const TASKS = '/proc/self/task';

interface Surroundings {
  readonly cores: number;
  readonly setFlag: (flag: string) => void;
  /** Resolves after this time; the process may end before. */
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

const OWN: Surroundings = {
  cores: availableParallelism(),
  setFlag: setFlagsFromString,
  wait: async (milliseconds) => await sleep(milliseconds, undefined, { ref: false }),
};

/**
 * Lets V8's own threads go last where there is one core (ADR 103). Four of them mark garbage beside the main thread, and there they had four of
 * five turns for a tenth of a second. A minor collection no longer takes them for its work, because its thread would wait until they had a turn.
 * Call it when the server serves. Resolves when they go last, a minute later.
 */
export async function letCollectorsGoLast({ cores, setFlag, wait }: Surroundings = OWN): Promise<void> {
  if (cores > 1) return;
  setFlag('--no-parallel-scavenge');
  await wait(COMPILING_MS);
  try {
    for (const thread of readdirSync(TASKS))
      if (readFileSync(`${TASKS}/${thread}/comm`, 'latin1').includes('V8Worker'))
        lowerThreadPriority(NICENESS, Number(thread));
  } catch {
    // Only Linux has these files, and a thread may end meanwhile.
  }
}
