// Preloaded into the program by `npm run steps`: measures the longest step of its main thread.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const FILE = process.env.TEST_LONGEST_STEP_FILE;

/** CPU time of this thread in milliseconds. Time in which other processes had the core does not count. */
const cpu = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

if (isMainThread && FILE !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let longest = 0;
  let last = cpu();
  const turn = () => {
    const now = cpu();
    longest = Math.max(longest, now - last);
    last = now;
    setImmediate(turn);
  };
  setImmediate(turn);
  // Each signal writes what was measured since the one before.
  process.on('SIGUSR2', () => {
    writeFileSync(`${FILE}.new`, JSON.stringify({ turn_ms: longest, delay_ms: delay.max / 1e6 }));
    renameSync(`${FILE}.new`, FILE);
    longest = 0;
    last = cpu();
    delay.reset();
  });
}
