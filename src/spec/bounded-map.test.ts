import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BoundedMap, SharedBound, type Weigh } from './bounded-map.ts';

function mapOf<Key, Value>(bytes: number, weigh: Weigh<Key, Value> = () => 1): BoundedMap<Key, Value> {
  return new SharedBound('test', bytes).open({ weigh });
}

test('a bounded map gives what was set, until it is deleted or cleared', () => {
  const map = mapOf<string, number>(10);
  map.set('a', 1);
  map.set('a', 2);
  map.set('b', 3);
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [2, 3, undefined]);
  map.delete('a');
  assert.deepEqual([map.get('a'), map.get('b')], [undefined, 3]);
  map.clear();
  assert.equal(map.get('b'), undefined);
});

test('it never holds more than its bound, whatever is set', () => {
  const map = mapOf<number, number>(100);
  for (let key = 0; key < 10_000; key += 1) map.set(key, key);
  let held = 0;
  for (let key = 0; key < 10_000; key += 1) if (map.get(key) !== undefined) held += 1;
  assert.ok(held > 0 && held <= 100, `${held}`);
});

test('what is asked for again and again stays, what is not is forgotten', () => {
  const map = mapOf<number, number>(10);
  map.set(-1, 1);
  for (let key = 0; key < 1000; key += 1) {
    map.set(key, key);
    assert.equal(map.get(-1), 1, `after ${key}`);
  }
  assert.equal(map.get(0), undefined);
});

test('all entries stay while they fit, in whatever order they are asked for', () => {
  for (const order of ['one after the other', 'at random']) {
    const map = mapOf<number, number>(100);
    let seed = 11;
    let missed = 0;
    for (let act = 0; act < 10_000; act += 1) {
      seed = (seed * 48_271) % 2_147_483_647;
      const key = (order === 'at random' ? seed : act) % 98;
      if (map.get(key) === undefined) missed += 1;
      else continue;
      map.set(key, key);
    }
    assert.equal(missed, 98, order);
  }
});

test('a deleted key does not come back from the older generation', () => {
  const map = mapOf<string, number>(4);
  map.set('a', 1);
  map.set('b', 2);
  map.age();
  map.set('c', 3);
  map.delete('a');
  map.set('b', 4);
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [undefined, 4, 3]);
  map.delete('b');
  assert.equal(map.get('b'), undefined);
});

test('heavy values take the place of several, and what is heavier than half of the bound is not kept, nor what it replaces', () => {
  const map = mapOf<number, number>(100, (weight) => weight);
  for (let key = 0; key < 1000; key += 1) map.set(key, 1 + (key % 20));
  let held = 0;
  for (let key = 0; key < 1000; key += 1) held += map.get(key) ?? 0;
  assert.ok(held > 0 && held <= 100, `${held}`);
  map.set(0, 50);
  assert.equal(map.get(0), 50);
  map.set(0, 51);
  assert.equal(map.get(0), undefined);
});

test('a value that is set again counts once', () => {
  const map = mapOf<string, number>(4);
  map.set('kept', 1);
  for (let value = 0; value < 100; value += 1) map.set('again', value);
  assert.equal(map.get('kept'), 1);
});

test('maps that share a bound have room together, and the one that is used displaces entries of the other', () => {
  const bound = new SharedBound('test', 100);
  const [one, other] = [0, 1].map(() => bound.open<number, number>({ weigh: () => 1 }));
  assert.ok(one !== undefined && other !== undefined);
  for (let key = 0; key < 40; key += 1) one.set(key, key);
  for (let key = 0; key < 40; key += 1) other.set(key, key);
  assert.deepEqual([bound.figures().entries, one.get(0), other.get(0)], [80, 0, 0]);
  for (let key = 40; key < 1000; key += 1) other.set(key, key);
  assert.equal(one.get(0), undefined);
  assert.ok(bound.figures().entries <= 100);
});

test('a map that is closed gives its bytes back and stays empty; its counts stay in the figures', () => {
  const bound = new SharedBound('test', 100);
  const closed = bound.open<number, number>({ weigh: () => 10 });
  const open = bound.open<number, number>({ weigh: () => 10 });
  for (let key = 0; key < 8; key += 1) closed.set(key, key);
  assert.equal(closed.get(7), 7);
  open.set(1, 1);
  closed.close();
  closed.set(1, 1);
  assert.equal(closed.get(1), undefined);
  const { bytes, entries, hits, evictions } = bound.figures();
  assert.deepEqual([bytes, entries, hits, evictions], [10, 1, 1, 0]);
  closed.close();
  assert.equal(bound.figures().hits, 1);
});

test('a bound in entries holds beside the bound in bytes', () => {
  const map = new SharedBound('test', 1_000_000).open<number, number>({ weigh: () => 1, entriesMax: 10 });
  for (let key = 0; key < 1000; key += 1) map.set(key, key);
  const held = Array.from({ length: 1000 }, (_, key) => map.get(key)).filter((found) => found !== undefined);
  assert.ok(held.length >= 5 && held.length <= 10, `${held.length}`);
});

test('whatever is set, found, deleted, cleared and closed, the bytes are those of the entries, and never too many', () => {
  const bound = new SharedBound('test', 400);
  const weigh = (value: number): number => 1 + (value % 23);
  const maps = [0, 1, 2].map((index) =>
    bound.open<number, number>({ weigh, entriesMax: index === 0 ? 12 : undefined }),
  );
  let seed = 7;
  const random = (max: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % max;
  };
  for (let act = 0; act < 20_000; act += 1) {
    const map = maps[random(maps.length)];
    assert.ok(map !== undefined);
    const key = random(60);
    const kind = random(100);
    if (kind < 50) map.get(key);
    else if (kind < 90) map.set(key, random(300));
    else if (kind < 99) map.delete(key);
    else map.clear();
    const { bytes } = bound.figures();
    assert.ok(bytes >= 0 && bytes <= 400, `${bytes} bytes after ${act} acts`);
  }
  const found = maps.flatMap((map) => Array.from({ length: 60 }, (_, key) => map.get(key) ?? -1));
  const held = found.filter((value) => value >= 0);
  assert.equal(bound.figures().entries, held.length);
  assert.equal(
    bound.figures().bytes,
    held.reduce((sum, value) => sum + weigh(value), 0),
  );
  for (const map of maps) map.close();
  assert.equal(bound.figures().bytes, 0);
});
