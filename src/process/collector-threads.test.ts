import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** Prints the name and the niceness of each thread of a process before and after the call. */
const SCRIPT = `
  const { readdirSync, readFileSync } = await import('node:fs');
  const { getPriority } = await import('node:os');
  const { letCollectorsGoLast } = await import(${JSON.stringify(new URL('./collector-threads.ts', import.meta.url).href)});
  const threads = () => readdirSync('/proc/self/task').map((id) =>
    [readFileSync('/proc/self/task/' + id + '/comm', 'latin1').trim(), getPriority(Number(id))]);
  const before = threads();
  letCollectorsGoLast(2);
  const onTwoCores = threads();
  letCollectorsGoLast(1);
  process.stdout.write(JSON.stringify({ before, onTwoCores, after: threads() }));`;

test("V8's own threads go last on one core, and no other thread does", {
  skip: process.platform !== 'linux' && 'a thread has a priority of its own on Linux only',
}, () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], { encoding: 'utf8' });
  const { before, onTwoCores, after } = JSON.parse(printed) as Record<
    'before' | 'onTwoCores' | 'after',
    [string, number][]
  >;
  const [usual = 0] = before.map(([, niceness]) => niceness);
  const isCollector = ([name]: [string, number]): boolean => name.includes('V8Worker');
  assert.ok(before.some(isCollector));
  assert.ok([...before, ...onTwoCores].every(([, niceness]) => niceness === usual));
  assert.ok(after.filter(isCollector).every(([, niceness]) => niceness === 19));
  assert.ok(after.filter((thread) => !isCollector(thread)).every(([, niceness]) => niceness === usual));
});
