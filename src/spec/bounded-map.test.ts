import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

test('a bounded map gives what was set, until it is deleted or cleared', () => {
  const map = new BoundedMap<string, number>(10);
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
  const map = new BoundedMap<number, number>(100);
  for (let key = 0; key < 10_000; key += 1) map.set(key, key);
  let held = 0;
  for (let key = 0; key < 10_000; key += 1) if (map.get(key) !== undefined) held += 1;
  assert.ok(held > 0 && held <= 100, `${held}`);
});

test('what is asked for again and again stays, what is not is forgotten', () => {
  const map = new BoundedMap<number, number>(10);
  map.set(-1, 1);
  for (let key = 0; key < 1000; key += 1) {
    map.set(key, key);
    assert.equal(map.get(-1), 1, `after ${key}`);
  }
  assert.equal(map.get(0), undefined);
});

test('a deleted key does not come back from the older generation', () => {
  const map = new BoundedMap<string, number>(4);
  map.set('a', 1);
  map.set('b', 2);
  map.set('c', 3);
  map.delete('a');
  map.set('b', 4);
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [undefined, 4, 3]);
  map.delete('b');
  assert.equal(map.get('b'), undefined);
});

test('heavy values take the place of several, and what is heavier than a generation is not kept, nor what it replaces', () => {
  const map = new BoundedMap<number, number>(100, (weight) => weight);
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
  const map = new BoundedMap<string, number>(4);
  map.set('kept', 1);
  for (let value = 0; value < 100; value += 1) map.set('again', value);
  assert.equal(map.get('kept'), 1);
});
