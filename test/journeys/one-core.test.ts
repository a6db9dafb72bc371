import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../program/start.ts';

const LONGEST_MS = 150_000;
const POLL_MS = 500;

/** The first core that this process may use; undefined where a process cannot be held to it. */
function firstCore(): number | undefined {
  if (process.platform !== 'linux' || spawnSync('taskset', ['-V']).status !== 0) return undefined;
  return Number(/^Cpus_allowed_list:\s+(\d+)/mu.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

const cpu = firstCore();

test("a server on one core: a minute after its start V8's own threads have the niceness 19, and no other thread (ADR 103)", {
  skip: cpu === undefined && 'taskset holds a process to one core on Linux only',
}, async () => {
  const program = await startProgram(cpu === undefined ? {} : { cpu });
  after(async () => await program.stop());
  const { pid } = program;
  const usual = getPriority(pid);
  const threads = () =>
    readdirSync(`/proc/${pid}/task`).map((id) => ({
      name: readFileSync(`/proc/${pid}/task/${id}/comm`, 'latin1').trim(),
      niceness: getPriority(Number(id)),
    }));
  const collectors = () => threads().filter(({ name }) => name.includes('V8Worker'));
  assert.deepEqual(new Set(collectors().map(({ niceness }) => niceness)), new Set([usual]));
  const until = Date.now() + LONGEST_MS;
  while (Date.now() < until && collectors().some(({ niceness }) => niceness !== 19)) await sleep(POLL_MS);
  assert.deepEqual(new Set(collectors().map(({ niceness }) => niceness)), new Set([19]));
  assert.equal(getPriority(pid), usual, 'that of the main thread');
});
