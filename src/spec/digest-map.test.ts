import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { SharedBound } from './bounded-map.ts';
import { DigestMap } from './digest-map.ts';

interface Entry {
  readonly key: string;
  readonly number: number;
}

const keyOf = (number: number): string => createHash('sha256').update(String(number)).digest('base64url');
const entryOf = (number: number): Entry => ({ key: keyOf(number), number });

const mapOf = (bytes: number): DigestMap<string, Entry> =>
  new DigestMap(new SharedBound('test', bytes).open({ weigh: () => 1 }), ({ key }: Entry) => key);

test('a map of digests gives what was set under the whole key, until it is deleted or cleared', () => {
  const map = mapOf(1000);
  const entries = Array.from({ length: 500 }, (_, number) => entryOf(number));
  for (const entry of entries) map.set(entry.key, entry);
  for (const entry of entries) assert.equal(map.get(entry.key), entry);
  map.set(keyOf(3), entryOf(3));
  assert.deepEqual(map.get(keyOf(3)), entryOf(3));
  map.delete(keyOf(7));
  assert.deepEqual([map.get(keyOf(7)), map.get(keyOf(8))?.number], [undefined, 8]);
  map.clear();
  assert.equal(map.get(keyOf(8)), undefined);
});

test('a key that shares its slot with another one is not taken for it, and does not delete it', () => {
  const map = mapOf(1000);
  const entry = entryOf(1);
  // The slot comes from characters near the end.
  const twin = `${entry.key.startsWith('A') ? 'B' : 'A'}${entry.key.slice(1)}`;
  map.set(entry.key, entry);
  assert.equal(map.get(twin), undefined);
  map.delete(twin);
  assert.equal(map.get(entry.key), entry);
  const other = { key: twin, number: 2 };
  map.set(twin, other);
  assert.deepEqual([map.get(twin), map.get(entry.key)], [other, undefined]);
});

test('texts that are shorter than a digest are keys too', () => {
  const map = mapOf(1000);
  for (const key of ['', 'a', 'ab', 'abcdef']) {
    const entry = { key, number: key.length };
    map.set(key, entry);
    assert.equal(map.get(key), entry, key);
    assert.equal(map.get(`${key}b`), undefined, key);
  }
});

test('what is asked about once leaves a full map as it is, and what is asked about again enters it', () => {
  const map = mapOf(100);
  for (let number = 0; number < 100; number += 1) map.set(keyOf(number), entryOf(number));
  const held = (): number =>
    Array.from({ length: 100 }, (_, number) => map.get(keyOf(number))).filter((entry) => entry !== undefined)
      .length;
  const before = held();
  assert.ok(before >= 87, `${before} of 100 stayed`);
  for (let number = 1000; number < 3000; number += 1) map.set(keyOf(number), entryOf(number));
  assert.ok(held() >= before - 1, 'once');
  for (let number = 5000; number < 5100; number += 1) {
    map.set(keyOf(number), entryOf(number));
    map.set(keyOf(number), entryOf(number));
  }
  assert.ok(held() < before, 'twice');
  assert.equal(map.get(keyOf(5099))?.number, 5099);
});
