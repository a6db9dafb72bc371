import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extentOf, stretchesOf } from './timeline.ts';

const EXTENT = { from: Date.parse('2026-01-01T00:00:00Z'), to: Date.parse('2026-01-11T00:00:00Z') };
const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`;

test('a key is announced until it signs, active until its successor signs, and retired until it goes', () => {
  const key = { active_at: at(3), retired_at: at(6), removed_at: at(8) };
  assert.deepEqual(stretchesOf(key, EXTENT), [
    { state: 'announced', from: 0, to: 20 },
    { state: 'active', from: 20, to: 50 },
    { state: 'retired', from: 50, to: 70 },
  ]);
});

test('a key without an end is active to the end of the axis, and a configured one over all of it', () => {
  assert.deepEqual(stretchesOf({ active_at: at(6), retired_at: null, removed_at: null }, EXTENT).at(-1), {
    state: 'active',
    from: 50,
    to: 100,
  });
  assert.deepEqual(stretchesOf({ active_at: null, retired_at: null, removed_at: null }, EXTENT), [
    { state: 'active', from: 0, to: 100 },
  ]);
});

test('the axis shows now and every event of the keys, with room at both ends', () => {
  const now = Date.parse(at(5));
  const { from, to } = extentOf([{ active_at: at(2), retired_at: null, removed_at: at(9) }], now);
  assert.ok(from < Date.parse(at(2)) && to > Date.parse(at(9)));
  const alone = extentOf([], now);
  assert.ok(alone.from < now && now < alone.to);
});
