import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { letCollectorsGoLast } from './collector-threads.ts';

/** Prints the name and the niceness of each thread of a process before the call, while it waits, and after it. */
const SCRIPT = `
  const { readdirSync, readFileSync } = await import('node:fs');
  const { getPriority } = await import('node:os');
  const { letCollectorsGoLast } = await import(${JSON.stringify(new URL('./collector-threads.ts', import.meta.url).href)});
  const threads = () => readdirSync('/proc/self/task').map((id) =>
    [readFileSync('/proc/self/task/' + id + '/comm', 'latin1').trim(), getPriority(Number(id))]);
  const setFlag = (await import('node:v8')).setFlagsFromString;
  const before = threads();
  await letCollectorsGoLast({ cores: 2, setFlag, wait: async () => undefined });
  const onTwoCores = threads();
  let compiling;
  await letCollectorsGoLast({ cores: 1, setFlag, wait: async () => { compiling = threads(); } });
  process.stdout.write(JSON.stringify({ before, onTwoCores, compiling, after: threads() }));`;

test("V8's own threads go last on one core, and no other thread does", {
  skip: process.platform !== 'linux' && 'a thread has a priority of its own on Linux only',
}, () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    encoding: 'utf8',
  });
  assert.equal(stderr, '', 'V8 knows the flag');
  const { before, onTwoCores, compiling, after } = JSON.parse(stdout) as Record<
    'before' | 'onTwoCores' | 'compiling' | 'after',
    [string, number][]
  >;
  const [usual = 0] = before.map(([, niceness]) => niceness);
  const isCollector = ([name]: [string, number]): boolean => name.includes('V8Worker');
  assert.ok(before.some(isCollector));
  assert.ok([...before, ...onTwoCores, ...compiling].every(([, niceness]) => niceness === usual));
  assert.ok(after.filter(isCollector).every(([, niceness]) => niceness === 19));
  assert.ok(after.filter((thread) => !isCollector(thread)).every(([, niceness]) => niceness === usual));
});

/** The flags that V8 gets on a machine with this number of cores. */
async function flagsWith(cores: number): Promise<readonly string[]> {
  const flags: string[] = [];
  await letCollectorsGoLast({
    cores,
    setFlag: (flag) => flags.push(flag),
    wait: async () => await Promise.resolve(),
  });
  return flags;
}

test('a minor collection takes threads of V8 for its work with two cores, and not with one', async () => {
  assert.deepEqual(await flagsWith(2), []);
  assert.deepEqual(await flagsWith(1), ['--no-parallel-scavenge']);
});
