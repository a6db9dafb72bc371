import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaUnusable } from '../ports/schema-compiler.ts';
import type { DetailsSchema } from '../spec/details-schema.ts';
import type { JsonValue } from '../spec/json.ts';
import { compileSchema } from './schema-compiler.ts';

const ROWS: readonly (readonly [schema: DetailsSchema, good: JsonValue, bad: JsonValue, pointer: string])[] =
  [
    [{ type: 'object', required: ['a'] }, { a: 1 }, {}, ''],
    [{ properties: { a: { type: 'string' } } }, { a: '1' }, { a: 1 }, '/a'],
    [{ properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }, '/b'],
    [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, { b: 1 }, '/b'],
    [
      { properties: {}, unevaluatedProperties: false },
      {},
      JSON.parse('{"__proto__":{}}') as JsonValue,
      '/__proto__',
    ],
    [{ pattern: '^[A-Z]{3}$' }, 'EUR', 'EURO', ''],
    [{ pattern: '^a', allOf: [{ pattern: 'b$' }] }, 'ab', 'a', ''],
    [
      { properties: { pattern: { pattern: '^\\p{L}+$' } } },
      { pattern: 'Ärger' },
      { pattern: '1' },
      '/pattern',
    ],
    [{ propertyNames: { pattern: '^[a-z]+$' } }, { ab: 1 }, { A: 1 }, ''],
    [{ $ref: '#/$defs/a', $defs: { a: { pattern: '^a$' } } }, 'a', 'b', ''],
    [{ items: { format: 'uri' }, uniqueItems: true }, ['urn:a', 'urn:b'], ['urn:a', 'urn:a'], ''],
    [{ oneOf: [{ const: 1 }, { type: 'integer' }] }, 2, 1, ''],
    [{ enum: [{ a: [1] }] }, { a: [1] }, { a: [2] }, ''],
  ];

for (const [schema, good, bad, pointer] of ROWS)
  test(`${JSON.stringify(schema)} takes ${JSON.stringify(good)} and refuses ${JSON.stringify(bad)} (JSON Schema 2020-12)`, () => {
    const mistakeIn = compileSchema(schema);
    assert.equal(mistakeIn(good), undefined);
    const mistake = mistakeIn(bad);
    assert.notEqual(mistake, undefined);
    assert.ok(mistake?.pointer.startsWith(pointer), JSON.stringify(mistake));
    assert.doesNotMatch(mistake?.detail ?? '', /\^/, 'a pattern is of no use for the sender');
  });

test('a pattern that would take for ever with backtracking decides at once, as often as a text is sent (H-633)', () => {
  const mistakeIn = compileSchema({ pattern: '^(a+)+$' });
  // With backtracking each of them takes longer than the universe is old.
  for (let round = 0; round < 10; round += 1) assert.notEqual(mistakeIn(`${'a'.repeat(2000)}!`), undefined);
  assert.equal(mistakeIn('a'.repeat(2000)), undefined);
});

for (const pattern of ['(?=a)b', '(a)\\1', '(', '((a{1,100}){1,100}){1,100}'])
  test(`a schema with the pattern ${pattern} cannot be used, and the reason names it`, () => {
    assert.throws(
      () => compileSchema({ properties: { a: { pattern } } }),
      (failure) => failure instanceof SchemaUnusable && failure.message.includes(`pattern ${pattern} `),
    );
  });
