import type { Answer, WriteChannel } from '../write.ts';
import { BatchExecutor, monotonicMilliseconds } from './batch-executor.ts';

/** One attempt may block the event loop for this long while another process writes. */
const BUSY_TIMEOUT_MS = 10;

/** Commits on the calling thread. */
export function mainThreadChannel(path: string, lock_wait_ms_max: number): WriteChannel {
  const executor = new BatchExecutor(path, BUSY_TIMEOUT_MS);
  let last: Promise<unknown> = Promise.resolve();
  return {
    send(writes) {
      const deadline_ms = monotonicMilliseconds() + lock_wait_ms_max;
      const run = (): Promise<readonly Answer[]> => executor.execute(writes, deadline_ms);
      const answers = last.then(run, run);
      last = answers;
      return answers;
    },
    async close() {
      await last.catch(() => undefined);
      executor.close();
    },
  };
}
