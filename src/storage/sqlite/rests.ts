import { setTimeout as sleep } from 'node:timers/promises';
import type { TableReader } from '../../ports/table-dump.ts';

/** The longest piece of work without a rest. */
const WORK_MS = 2;
/** One call of SQLite may have worked for seconds. */
const REST_MS_MAX = 20;

/** Is called between pieces of long work. */
export type Rest = () => Promise<void>;

interface RestOptions {
  /** The time that this process has had on a core. */
  readonly worked_ms?: () => number;
  readonly sleep_ms?: (ms: number) => Promise<unknown>;
}

/** Not the time of day: where servers take the core, the work would rest for as long as it waited. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Returns a function to call between pieces of long work. After 2 ms of work it rests for as long, and 20 ms at most; before, it returns at once.
 * A low priority is not enough beside a server on the same core: the commit of a write waits for a thread of Linux that sends the
 * flush to the disk, and a process that never sleeps keeps that thread waiting (ADR 111).
 */
export function rests({ worked_ms = processorTime, sleep_ms = sleep }: RestOptions = {}): Rest {
  let began = worked_ms();
  return async () => {
    const worked = worked_ms() - began;
    if (worked < WORK_MS) return;
    await sleep_ms(Math.min(REST_MS_MAX, Math.floor(worked)));
    began = worked_ms();
  };
}

/** Returns the reader with rests between two pages of rows. */
export function restingReader(reader: TableReader, rest: Rest): TableReader {
  return {
    ...reader,
    async page(...asked) {
      await rest();
      return await reader.page(...asked);
    },
  };
}
