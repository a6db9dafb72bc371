import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences, patchBetween, patched } from './merge-patch.ts';

const PAIRS: readonly (readonly [object, object])[] = [
  [{}, {}],
  [{ a: 1 }, { a: 1, b: [1, 2] }],
  [{ a: 1, b: 2 }, { b: 2 }],
  [{ a: { b: { c: 1 } } }, { a: { b: { d: 2 } } }],
  [{ a: [1, 2] }, { a: [2, 1] }],
  [{ a: 'text' }, { a: { b: 1 } }],
  [{ a: { b: 1 } }, { a: [] }],
  [{ 'client_name#de': 'Büro' }, { 'client_name#de': 'Amt', client_name: 'Office' }],
];

for (const [before, after] of PAIRS) {
  test(`the patch from ${JSON.stringify(before)} to ${JSON.stringify(after)} leads there and back (RFC 7396 §2)`, () => {
    const [one, other] = [{ ...before }, { ...after }];
    assert.deepEqual(patched(one, patchBetween(one, other)), other);
    assert.deepEqual(patched(other, patchBetween(other, one)), one);
  });
}

test('equal members are in no patch, whatever the order of their members', () => {
  assert.deepEqual(patchBetween({ a: { x: 1, y: 2 }, b: 1 }, { b: 2, a: { y: 2, x: 1 } }), { b: 2 });
});

test('a difference lacks the side that lacks the member, and its pointer is escaped (RFC 6901 §3)', () => {
  assert.deepEqual(differences({ 'a/b': 1, c: 2 }, { c: 2, 'd~e': 3 }), [
    { path: '/a~1b', before: 1 },
    { path: '/d~0e', after: 3 },
  ]);
});

test('two people who changed different members both keep their changes', () => {
  const base = { client_name: 'One', scope: 'openid' };
  const mine = patchBetween(base, { client_name: 'Mine', scope: 'openid' });
  assert.deepEqual(patched({ client_name: 'One', scope: 'openid email' }, mine), {
    client_name: 'Mine',
    scope: 'openid email',
  });
});
