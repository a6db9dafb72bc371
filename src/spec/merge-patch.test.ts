import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from './json.ts';
import { mergePatch } from './merge-patch.ts';

/** RFC 7396, Appendix A. */
const ROWS: readonly (readonly [target: JsonValue, patch: JsonValue, result: JsonValue])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test('a merge patch has the results of RFC 7396, Appendix A', () => {
  for (const [target, patch, result] of ROWS) assert.deepEqual(mergePatch(target, patch), result);
});

test('a merge patch with __proto__ changes a member of that name and no prototype', () => {
  const patched = mergePatch({}, JSON.parse('{"__proto__":{"a":1}}') as JsonValue);
  assert.deepEqual(Object.keys(patched as object), ['__proto__']);
  assert.equal(({} as { a?: number }).a, undefined);
});
