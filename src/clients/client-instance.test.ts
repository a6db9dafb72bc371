import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';
import { systemRandom } from '../system/random.ts';
import { newInstance } from './client-instance.ts';

test('instances sort by the time of their registrations, and no two are the same, also of one millisecond', () => {
  const times = [0, 1, 1, 1_700_000_000_000, 1_700_000_000_001, 1_700_000_000_001, 4_102_444_800_000];
  const made = times.map((time) =>
    newInstance({ clock: { milliseconds: () => time }, random: systemRandom }),
  );
  assert.deepEqual(made.toSorted(), made);
  assert.equal(new Set(made).size, times.length);
  for (const instance of made)
    assert.match(instance, new RegExp(`^[A-Za-z0-9]{${IDENTIFIER_LENGTHS.instance}}$`));
});
