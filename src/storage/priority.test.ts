import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lowerPriority } from './priority.ts';

test('a system that forbids a lower priority does not stop the work', () => {
  const asked: (readonly number[])[] = [];
  lowerPriority(5, 17, (...priority) => {
    asked.push(priority);
    throw new Error('A system error occurred: uv_os_setpriority returned EPERM');
  });
  assert.deepEqual(asked, [[17, 5]]);
});
