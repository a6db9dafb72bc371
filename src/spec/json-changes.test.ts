import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from './json.ts';
import { type JsonChange, jsonChanges } from './json-changes.ts';

const ROWS: readonly (readonly [
  what: string,
  before: JsonValue,
  after: JsonValue,
  changes: readonly JsonChange[],
])[] = [
  [
    'equal values, whatever the order of members',
    { a: 1, b: [{ c: 2, d: 3 }] },
    { b: [{ d: 3, c: 2 }], a: 1 },
    [],
  ],
  ['a member that came', {}, { client_uri: 'u' }, [{ path: '/client_uri', after: 'u' }]],
  ['a member that went', { client_uri: null }, {}, [{ path: '/client_uri', before: null }]],
  ['a member with another value', { name: 'a' }, { name: 'b' }, [{ path: '/name', before: 'a', after: 'b' }]],
  [
    'a member of a member',
    { a: { b: { c: 1 } } },
    { a: { b: { c: 2 } } },
    [{ path: '/a/b/c', before: 1, after: 2 }],
  ],
  ['another type', { a: [1] }, { a: { 0: 1 } }, [{ path: '/a', before: [1], after: { 0: 1 } }]],
  ['an element in front', { a: ['y'] }, { a: ['x', 'y'] }, [{ path: '/a/0', after: 'x' }]],
  [
    'an element in the place of another one',
    { a: ['x', 'y', 'z'] },
    { a: ['x', 'n', 'z'] },
    [
      { path: '/a/1', before: 'y' },
      { path: '/a/1', after: 'n' },
    ],
  ],
  ['an element less of two that are equal', [1, 1, 2], [1, 2], [{ path: '/1', before: 1 }]],
  [
    'elements in another order',
    { a: [1, 2] },
    { a: [2, 1] },
    [{ path: '/a', before: [1, 2], after: [2, 1] }],
  ],
  [
    'names with the characters of a pointer (RFC 6901 §3)',
    {},
    { 'a/b~c': 1 },
    [{ path: '/a~1b~0c', after: 1 }],
  ],
  [
    'names of the prototype',
    JSON.parse('{"__proto__":1}') as JsonValue,
    JSON.parse('{"__proto__":2,"constructor":3}') as JsonValue,
    [
      { path: '/__proto__', before: 1, after: 2 },
      { path: '/constructor', after: 3 },
    ],
  ],
  ['whole values', 'a', 1, [{ path: '', before: 'a', after: 1 }]],
];

for (const [what, before, after, changes] of ROWS) {
  test(`the differences of two JSON values by JSON Pointer: ${what} (RFC 6901)`, () => {
    assert.deepEqual(jsonChanges(before, after), changes);
  });
}
