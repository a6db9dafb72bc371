import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './child.ts';
import { GROUPS, sharesOf } from './test-groups.ts';
import { runInLanes } from './test-lanes.ts';
import { FIRST } from './test-order.ts';

test('each lane runs one task at a time, in their order, and a task that waits keeps no other from a lane', async () => {
  const log: string[] = [];
  const held = Promise.withResolvers<void>();
  const inLane = new Set<number>();
  const task = (name: string, waits: boolean, until: Promise<void>) => ({
    waits,
    run: async (lane: number) => {
      assert.ok(!inLane.has(lane), `lane ${lane} is taken`);
      inLane.add(lane);
      log.push(`${name} in ${lane}`);
      await until;
      inLane.delete(lane);
      if (name === 'e') held.resolve();
    },
  });
  const now = Promise.resolve();
  const tasks = [
    task('a', false, held.promise),
    task('b', true, held.promise),
    task('c', false, now),
    task('d', true, now),
    task('e', false, now),
  ];
  await runInLanes(tasks, { working: 2, waiting: 1 });
  assert.deepEqual(log, ['a in 0', 'c in 1', 'b in 2', 'e in 1', 'd in 2']);
});

test('each file of a group is in one share, and each file with a place in the order exists', () => {
  for (const group of GROUPS) {
    const shared = sharesOf(group).flatMap(({ files }) => files);
    assert.deepEqual(shared.toSorted(), group.files.toSorted(), group.name);
  }
  for (const file of FIRST) assert.ok(existsSync(join(ROOT, file)), file);
});
