/**
 * Measures what sleep costs on this machine: the CPU time of the same piece of work, repeated without a pause and after sleeps. On a
 * virtual machine a CPU that slept is slower for a while, so a server costs more for each request when it has few.
 * Run: taskset -c 0 node bin/tool.mjs bench/after-sleep.ts
 */
const STEPS = 2_000;
const SLEEPS_MS = [0, 0.2, 1, 5, 20];
const ROUND_MS = 2_000;
/** A piece takes about 20 µs. */
const PIECES_MAX = 4_000;

const memory = new Float64Array(65_536);
const lock = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Reads and writes half a megabyte in no order. */
function work(): number {
  let sum = 0;
  for (let step = 0; step < STEPS; step += 1) {
    sum += memory[(step * 7919) & 65_535] ?? 0;
    memory[(step * 31) & 65_535] = sum % 3;
  }
  return sum;
}

/** Returns the microseconds of CPU of a piece, with its sleep. */
function cpuOfPiece(sleep_ms: number): number {
  const pieces = Math.min(PIECES_MAX, Math.ceil(ROUND_MS / (sleep_ms + 0.1)));
  const before = process.cpuUsage();
  for (let piece = 0; piece < pieces; piece += 1) {
    work();
    if (sleep_ms > 0) Atomics.wait(lock, 0, 0, sleep_ms);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / pieces;
}

cpuOfPiece(0);
for (const sleep_ms of SLEEPS_MS)
  console.log(`after ${sleep_ms} ms of sleep: ${cpuOfPiece(sleep_ms).toFixed(1)} µs of CPU`);
