/**
 * Is preloaded into a measured server (`NODE_OPTIONS=--import`), and writes each collection of garbage and each late timer of the
 * main thread as a line of JSON to the file that BENCH_PAUSES names. V8 writes to that file with `.dropped` which compiled code it drops.
 */
import { appendFileSync } from 'node:fs';
import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

const SHORTEST_MS = 4;
const TIMER_MS = 10;
const KINDS = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major collection',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor collection',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'step of a major collection',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak callbacks',
};

const path = process.env.BENCH_PAUSES;

function note(what, from, ms) {
  const thread = isMainThread ? 'main thread' : 'other thread';
  appendFileSync(path, `${JSON.stringify({ what: `${what}, ${thread}`, from, to: from + ms })}\n`);
}

if (path !== undefined) {
  new PerformanceObserver((list) => {
    for (const { detail, startTime, duration } of list.getEntries())
      if (duration >= SHORTEST_MS) note(KINDS[detail.kind], performance.timeOrigin + startTime, duration);
  }).observe({ entryTypes: ['gc'] });
  if (isMainThread) {
    setFlagsFromString('--redirect-code-traces');
    setFlagsFromString(`--redirect-code-traces-to=${path}.dropped`);
    setFlagsFromString('--trace-deopt');
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      const late = now - last - TIMER_MS;
      if (late >= SHORTEST_MS) note('busy turn', performance.timeOrigin + now - late, late);
      last = now;
    }, TIMER_MS).unref();
  }
}
