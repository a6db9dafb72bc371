import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { lowerPriority } from './priority.ts';

const MODULE = JSON.stringify(new URL('./priority.ts', import.meta.url).href);

/** The niceness of a process that calls this function, begun with a niceness of its own. */
function nicenessAfter(call: string, own: number): string {
  const script = `
    const { getPriority } = await import('node:os');
    const { giveWayToServers, lowerPriority } = await import(${MODULE});
    ${call};
    process.stdout.write(String(getPriority()));`;
  const words = ['-n', String(own), process.execPath, '--input-type=module', '-e', script];
  return execFileSync('nice', words, { encoding: 'utf8' });
}

test('a process beside a server gets the niceness 15', () => {
  assert.equal(nicenessAfter('giveWayToServers()', 0), '15');
});

test('a process that has a lower priority already keeps it', () => {
  assert.equal(nicenessAfter('giveWayToServers()', 17), '17');
  assert.equal(nicenessAfter('lowerPriority(3)', 5), '5');
});

test('a system that forbids a lower priority does not stop the work', () => {
  const asked: (readonly number[])[] = [];
  lowerPriority(19, 0, (...priority) => {
    asked.push(priority);
    throw new Error('A system error occurred: uv_os_setpriority returned EPERM');
  });
  assert.deepEqual(asked, [[0, 19]]);
});
