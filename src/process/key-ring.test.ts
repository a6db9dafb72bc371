import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeenProcess } from '../ports/storage.ts';
import { stillRunning } from './key-ring.ts';

const aProcess = (id: string, ring: readonly string[]): SeenProcess => ({ id, name: id, ring, beats: 1 });

/** Records as a database keeps them; each read lets the processes beat that are named. */
function records(seen: readonly SeenProcess[], beating: readonly string[]) {
  let kept = seen;
  const forgotten: string[] = [];
  return {
    forgotten,
    processes: async () => {
      await Promise.resolve();
      const answer = kept;
      kept = kept.map((each) => (beating.includes(each.id) ? { ...each, beats: each.beats + 1 } : each));
      return answer;
    },
    forgetProcesses: async (ids: readonly string[]) => {
      await Promise.resolve();
      forgotten.push(...ids);
    },
  };
}

const lacksNew = ({ ring }: SeenProcess): boolean => !ring.includes('new');

test('H-282: a recorded process counts as running if it beats; a silent one was killed, and is forgotten', async () => {
  const storage = records([aProcess('alive', ['old']), aProcess('killed', ['old'])], ['alive']);
  const running = await stillRunning(storage, 0.1, lacksNew);
  assert.deepEqual(
    running.map(({ id }) => id),
    ['alive'],
  );
  assert.deepEqual(storage.forgotten, ['killed']);
});

test('H-282: a process that records the new ring meanwhile is not named, and nothing is waited for without suspects', async () => {
  let reads = 0;
  const storage = {
    processes: async () => {
      await Promise.resolve();
      reads += 1;
      return [{ ...aProcess('restarted', reads === 1 ? ['old'] : ['new', 'old']), beats: reads }];
    },
    forgetProcesses: async () => await Promise.reject(new Error('nothing is silent')),
  };
  assert.deepEqual(await stillRunning(storage, 0.1, lacksNew), []);
  assert.equal(reads, 2);
  assert.deepEqual(await stillRunning(storage, 0.1, lacksNew), []);
  assert.equal(reads, 3);
});
