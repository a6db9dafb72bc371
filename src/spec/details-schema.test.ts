import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailsSchemaProblems, SCHEMA_LENGTH_MAX, SUBSCHEMAS_MAX } from './details-schema.ts';
import type { JsonValue } from './json.ts';

/** Schemas that the server refuses at its start, with the place and the reason. */
const REFUSED: readonly (readonly [schema: JsonValue, pointer: string, detail: RegExp])[] = [
  [[], '', /must be a JSON Schema object/],
  [{ requried: ['a'] }, '/requried', /a keyword that this server does not know/],
  [{ patternProperties: { a: {} } }, '/patternProperties', /does not know/],
  [{ $dynamicRef: '#a' }, '/$dynamicRef', /does not know/],
  [{ $id: 'https://example.com/schema' }, '/$id', /does not know/],
  [{ properties: { a: { typ: 'string' } } }, '/properties/a/typ', /does not know/],
  [{ items: [{}] }, '/items', /must be a schema/],
  [{ allOf: {} }, '/allOf', /must be a list of schemas/],
  [{ type: 'text' }, '/type', /must be of string, integer/],
  [{ minLength: -1 }, '/minLength', /a whole number/],
  [{ required: 'a' }, '/required', /a list of texts/],
  [{ format: 'regex' }, '/format', /one of date, /],
  [{ uniqueItems: 'yes' }, '/uniqueItems', /true or false/],
  [{ enum: [] }, '/enum', /not empty/],
  [{ $ref: 'https://example.com/schema' }, '/$ref', /in #\/\$defs/],
  [{ $ref: '#/$defs/a' }, '/$defs/a', /is missing/],
  [{ description: 'x'.repeat(SCHEMA_LENGTH_MAX) }, '', /at most 16384 characters/],
];

for (const [schema, pointer, detail] of REFUSED) {
  test(`a schema ${JSON.stringify(schema).slice(0, 60)} of authorisation details is refused at ${pointer} (RFC 9396 §2)`, () => {
    const [problem, ...others] = detailsSchemaProblems(schema);
    assert.deepEqual([problem?.pointer, others.length], [pointer, 0]);
    assert.match(problem?.detail ?? '', detail);
  });
}

test('a schema that is endless, or short and huge by its references, is refused (JSON Schema 2020-12 §8.2.3)', () => {
  const endless = {
    $ref: '#/$defs/a',
    $defs: { a: { items: { $ref: '#/$defs/b' } }, b: { not: { $ref: '#/$defs/a' } } },
  };
  assert.match(detailsSchemaProblems(endless)[0]?.detail ?? '', /no \$ref that leads back/);
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, index === 39 ? {} : { allOf: [next, next] }];
    }),
  );
  assert.match(
    detailsSchemaProblems({ $ref: '#/$defs/d0', $defs: doubling })[0]?.detail ?? '',
    new RegExp(`at most ${SUBSCHEMAS_MAX} subschemas`),
  );
});

test('a schema with the usual keywords, booleans as schemas, and members named like keywords is taken', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: ['object'],
    properties: {
      pattern: { type: 'string' },
      $ref: true,
      amount: { $ref: '#/$defs/amount' },
      items: { type: 'array', prefixItems: [{ const: 1 }], items: false },
    },
    dependentRequired: { amount: ['items'] },
    if: { required: ['items'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { minProperties: 2 },
    $defs: { amount: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.01 } },
    unevaluatedProperties: false,
  };
  assert.deepEqual(detailsSchemaProblems(schema), []);
});
