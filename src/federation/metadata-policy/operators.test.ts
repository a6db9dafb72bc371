import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../../spec/json.ts';
import { mergedPolicy, resolved } from '../../testing/metadata-policy.ts';
import { OPERATOR_NAMES } from './operators.ts';

/** Applies a policy to the parameter `p` and returns its value, undefined if absent, or the code of the problem. */
function act(policy: Record<string, JsonValue>, parameter?: JsonValue): JsonValue | undefined {
  const outcome = resolved([{ p: policy }], parameter === undefined ? {} : { p: parameter });
  return typeof outcome === 'string' ? outcome : (outcome as { readonly p?: JsonValue }).p;
}

const merged = (...policies: readonly Record<string, JsonValue>[]): JsonValue => {
  const outcome = mergedPolicy(...policies.map((p) => ({ p })));
  return typeof outcome === 'string' ? outcome : ((outcome as { readonly p: JsonValue }).p ?? null);
};

// proves openid-federation-6.1.3.1-1
test('operators are applied in the order value, add, default, one_of, subset_of, superset_of, essential (§6.1.3.1)', () => {
  assert.deepEqual(OPERATOR_NAMES, [
    'value',
    'add',
    'default',
    'one_of',
    'subset_of',
    'superset_of',
    'essential',
  ]);
  assert.deepEqual(act({ essential: true, subset_of: ['a', 'b'], default: ['z'], add: ['a'] }, ['c']), ['a']);
});

// proves openid-federation-6.1.3.1-1
test('value assigns its value in every case, and null removes the parameter (§6.1.3.1.1)', () => {
  assert.equal(act({ value: 'x' }, ['y']), 'x');
  assert.equal(act({ value: 0 }), 0);
  assert.equal(act({ value: false }, true), false);
  assert.deepEqual(act({ value: { a: [1] } }), { a: [1] });
  assert.equal(act({ value: null }, 'y'), undefined);
  assert.deepEqual(merged({ value: { a: 1, b: 2 } }, { value: { b: 2, a: 1 } }), { value: { a: 1, b: 2 } });
  assert.equal(merged({ value: ['a', 'b'] }, { value: ['b', 'a'] }), 'policy_merge');
  assert.equal(merged({ value: 'a' }, { value: null }), 'policy_merge');
});

// proves openid-federation-6.1.3.1-1
test('add adds the values that the parameter lacks and sets an absent parameter (§6.1.3.1.2)', () => {
  assert.deepEqual(act({ add: ['a', 'b'] }, ['b', 'c']), ['b', 'c', 'a']);
  assert.deepEqual(act({ add: ['a'] }), ['a']);
  assert.deepEqual(act({ add: [{ a: 1, b: 2 }] }, [{ b: 2, a: 1 }]), [{ b: 2, a: 1 }]);
  assert.equal(act({ add: ['a'] }, 'a'), 'policy_violated');
  assert.deepEqual(merged({ add: ['a', 'b'] }, { add: ['c', 'b'] }), { add: ['a', 'b', 'c'] });
});

// proves openid-federation-6.1.3.1-1
test('default sets an absent parameter only, and false, 0 and [] are present (§6.1.3.1.3)', () => {
  assert.equal(act({ default: 'a' }), 'a');
  for (const there of [false, 0, '', []]) assert.deepEqual(act({ default: 'a' }, there), there);
  assert.equal(merged({ default: 'a' }, { default: 'b' }), 'policy_merge');
});

// proves openid-federation-6.1.3.1-1
test('one_of requires a present parameter to be one of its values, and an empty intersection is an error (§6.1.3.1.4)', () => {
  assert.equal(act({ one_of: ['a', 'b'] }, 'b'), 'b');
  assert.equal(act({ one_of: [1, 2] }, 2), 2);
  assert.deepEqual(act({ one_of: [{ a: 1 }] }, { a: 1 }), { a: 1 });
  assert.equal(act({ one_of: ['a', 'b'] }), undefined);
  assert.equal(act({ one_of: ['a'] }, 'c'), 'policy_violated');
  assert.equal(act({ one_of: ['1'] }, 1), 'policy_violated');
  assert.equal(act({ one_of: ['a'] }, ['a']), 'policy_violated');
  assert.deepEqual(merged({ one_of: ['a', 'b', 'c'] }, { one_of: ['c', 'b', 'x'] }), { one_of: ['b', 'c'] });
  assert.equal(merged({ one_of: ['a'] }, { one_of: ['b'] }), 'policy_merge');
});

// proves openid-federation-6.1.3.1-1
test('subset_of removes other values from a present parameter, even if none remain (§6.1.3.1.5)', () => {
  assert.deepEqual(act({ subset_of: ['a', 'b', 'c'] }, ['e', 'c', 'a']), ['c', 'a']);
  assert.deepEqual(act({ subset_of: ['a'] }, ['b']), []);
  assert.equal(act({ subset_of: ['a'] }), undefined);
  assert.equal(act({ subset_of: ['a'] }, 'a'), 'policy_violated');
  assert.deepEqual(merged({ subset_of: ['a'] }, { subset_of: ['b'] }), { subset_of: [] });
});

// proves openid-federation-6.1.3.1-1
test('superset_of requires a present parameter to have all of its values, and equality is enough (§6.1.3.1.6)', () => {
  assert.deepEqual(act({ superset_of: ['a', 'b'] }, ['b', 'a', 'c']), ['b', 'a', 'c']);
  assert.deepEqual(act({ superset_of: ['a'] }, ['a']), ['a']);
  assert.equal(act({ superset_of: ['a', 'b'] }, ['a']), 'policy_violated');
  assert.equal(act({ superset_of: ['a'] }), undefined);
  assert.deepEqual(merged({ superset_of: ['a'] }, { superset_of: ['b'] }), { superset_of: ['a', 'b'] });
});

// proves openid-federation-6.1.3.1-1
test('essential requires the parameter after all operators, and [] is enough, as in Table 1 (§6.1.3.1.7, §6.1.3.1.8)', () => {
  const abc = ['a', 'b', 'c'];
  for (const essential of [true, false]) {
    assert.deepEqual(act({ essential, subset_of: abc }, ['a', 'e']), ['a']);
    assert.deepEqual(act({ essential, subset_of: abc }, ['d', 'e']), []);
  }
  assert.equal(act({ essential: true, subset_of: abc }), 'policy_violated');
  assert.equal(act({ essential: false, subset_of: abc }), undefined);
  assert.deepEqual(merged({ essential: false }, { essential: true }), { essential: true });
});

const UNFIT: readonly (readonly [operator: string, values: readonly JsonValue[]])[] = [
  ['default', [null]],
  ['essential', ['true', 1, null, [true]]],
  ...['add', 'one_of', 'subset_of', 'superset_of'].map(
    (operator) => [operator, ['a', 1, true, null, {}, [true], [null], ['a', 1], [['a']]]] as const,
  ),
];
for (const [operator, values] of UNFIT) {
  // proves openid-federation-6.1.3.1-1
  test(`${operator} with a value of a wrong type is a policy error (§6.1.3)`, () => {
    for (const value of values)
      assert.equal(merged({ [operator]: value }), 'policy_operator_value', JSON.stringify(value));
  });
}

const A = ['a'];
const AB = ['a', 'b'];
/** Pairs of operators, with values that may be combined and values that may not (§6.1.3.1). */
const PAIRS: readonly (readonly [
  allowed: Record<string, JsonValue>,
  refused: Record<string, JsonValue> | null,
])[] = [
  [
    { value: AB, add: A },
    { value: A, add: AB },
  ],
  [
    { value: A, default: 'x' },
    { value: null, default: 'x' },
  ],
  [
    { value: 'a', one_of: AB },
    { value: 'c', one_of: AB },
  ],
  [
    { value: A, subset_of: AB },
    { value: AB, subset_of: A },
  ],
  [
    { value: AB, superset_of: A },
    { value: A, superset_of: AB },
  ],
  [
    { value: null, essential: false },
    { value: null, essential: true },
  ],
  [{ add: A, default: A }, null],
  [
    { add: A, subset_of: AB },
    { add: AB, subset_of: A },
  ],
  [{ add: A, superset_of: AB }, null],
  [
    { add: A, essential: true },
    { add: A, one_of: A },
  ],
  [{ default: 'a', one_of: AB }, null],
  [{ default: A, subset_of: A }, null],
  [{ default: A, superset_of: AB }, null],
  [{ default: A, essential: true }, null],
  [
    { one_of: A, essential: true },
    { one_of: A, subset_of: A },
  ],
  [
    { subset_of: AB, superset_of: A },
    { subset_of: A, superset_of: AB },
  ],
  [
    { subset_of: A, essential: true },
    { one_of: A, superset_of: A },
  ],
  [{ superset_of: A, essential: true }, null],
];
for (const [allowed, refused] of PAIRS) {
  const names = Object.keys(allowed).join(' beside ');
  // proves openid-federation-6.1.3.1-1
  test(`${names} is allowed on its condition, in one policy and in a merged one (§6.1.3.1)`, () => {
    assert.deepEqual(merged(allowed), allowed);
    const [first = '', second = ''] = Object.keys(allowed);
    const parts = [{ [first]: allowed[first] ?? null }, { [second]: allowed[second] ?? null }];
    assert.deepEqual(merged(...parts), allowed);
    if (refused === null) return;
    assert.equal(merged(refused), 'policy_combination');
    const [third = '', fourth = ''] = Object.keys(refused);
    const clash = [{ [third]: refused[third] ?? null }, { [fourth]: refused[fourth] ?? null }];
    assert.equal(merged(...clash), 'policy_combination');
    assert.equal(merged(...clash.reverse()), 'policy_combination');
  });
}
