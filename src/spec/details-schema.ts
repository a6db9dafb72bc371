import type { JsonValue } from './json.ts';
import type { Mistaken } from './problems.ts';

/** A JSON Schema (2020-12) of an operator, for one type of authorisation details (RFC 9396 §2). */
export type DetailsSchema = { readonly [keyword: string]: JsonValue };

/** The form of a keyword's value. Those with subschemas are `schema`, `schemas` (a list) and `map`. */
type Form =
  | 'any'
  | 'text'
  | 'texts'
  | 'flag'
  | 'number'
  | 'count'
  | 'list'
  | 'types'
  | 'format'
  | 'reference'
  | 'schema'
  | 'schemas'
  | 'map'
  | 'name-lists';

/**
 * The keywords that a schema may have. An unknown one would be ignored, and a misspelt `required` would let every request in.
 * Absent on purpose: references to other documents, recursion, and patterns of member names.
 */
const KEYWORDS: Readonly<Record<string, Form>> = {
  $schema: 'text',
  $comment: 'text',
  title: 'text',
  description: 'text',
  default: 'any',
  examples: 'list',
  $defs: 'map',
  $ref: 'reference',
  type: 'types',
  const: 'any',
  enum: 'list',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: 'schema',
  else: 'schema',
  properties: 'map',
  dependentSchemas: 'map',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  required: 'texts',
  dependentRequired: 'name-lists',
  minProperties: 'count',
  maxProperties: 'count',
  prefixItems: 'schemas',
  items: 'schema',
  contains: 'schema',
  unevaluatedItems: 'schema',
  minContains: 'count',
  maxContains: 'count',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'text',
  format: 'format',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
};

const TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'integer',
  'number',
  'boolean',
  'object',
  'array',
  'null',
]);

/** Formats that are checked in linear time. */
const FORMATS = ['date', 'date-time', 'time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6'];

/** Characters of a schema as JSON text. */
export const SCHEMA_LENGTH_MAX = 16_384;
/** Subschemas, with those that references repeat. Each value of a request meets each of them at most once. */
export const SUBSCHEMAS_MAX = 500;

const REFERENCE = /^#\/\$defs\/([A-Za-z0-9_-]+)$/u;

/** Returns what is wrong with a schema, by JSON pointers; empty for one that can be used. */
export function detailsSchemaProblems(schema: JsonValue): readonly Mistaken[] {
  if (!isMap(schema)) return [{ pointer: '', detail: 'must be a JSON Schema object' }];
  if (JSON.stringify(schema).length > SCHEMA_LENGTH_MAX)
    return [{ pointer: '', detail: `must have at most ${SCHEMA_LENGTH_MAX} characters as JSON` }];
  const problems = problemsIn(schema, '');
  return problems.length > 0 ? problems : sizeProblems(schema);
}

/** Returns a schema whose subschemas, and itself, are changed from the inside out. */
export function changedSchemas(
  schema: JsonValue,
  change: (one: DetailsSchema) => DetailsSchema,
): DetailsSchema | boolean {
  if (!isMap(schema)) return schema === true;
  const inner = (value: JsonValue): JsonValue => changedSchemas(value, change);
  const members = Object.entries(schema).map(([keyword, value]) => {
    const form = KEYWORDS[keyword];
    if (form === 'schema') return [keyword, inner(value)] as const;
    if (form === 'schemas' && Array.isArray(value)) return [keyword, value.map(inner)] as const;
    if (form !== 'map' || !isMap(value)) return [keyword, value] as const;
    return [
      keyword,
      Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)])),
    ] as const;
  });
  return change(Object.fromEntries(members));
}

const isMap = (value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: JsonValue): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function problemsIn(schema: JsonValue, pointer: string): readonly Mistaken[] {
  if (typeof schema === 'boolean') return [];
  if (!isMap(schema)) return [{ pointer, detail: 'must be a schema: an object, true or false' }];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const place = `${pointer}/${keyword}`;
    const form = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (form === undefined)
      return [{ pointer: place, detail: 'is a keyword that this server does not know' }];
    const rule = ruleBroken(form, value);
    return rule === undefined ? innerProblems(form, value, place) : [{ pointer: place, detail: rule }];
  });
}

function innerProblems(form: Form, value: JsonValue, place: string): readonly Mistaken[] {
  if (form === 'schema') return problemsIn(value, place);
  if (form === 'schemas' && Array.isArray(value))
    return value.flatMap((each, index) => problemsIn(each, `${place}/${index}`));
  return form === 'map' && isMap(value)
    ? Object.entries(value).flatMap(([name, each]) => problemsIn(each, `${place}/${name}`))
    : [];
}

const FORM_RULES: Readonly<Record<Form, readonly [accepts: (value: JsonValue) => boolean, rule: string]>> = {
  any: [() => true, ''],
  text: [(value) => typeof value === 'string', 'must be a text'],
  texts: [isTexts, 'must be a list of texts'],
  flag: [(value) => typeof value === 'boolean', 'must be true or false'],
  number: [(value) => Number.isFinite(value), 'must be a number'],
  count: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'must be a whole number from 0 on'],
  list: [(value) => Array.isArray(value) && value.length > 0, 'must be a list that is not empty'],
  types: [
    (value) => (Array.isArray(value) ? value : [value]).every((one) => TYPES.has(one)),
    `must be of ${[...TYPES].join(', ')}`,
  ],
  format: [(value) => FORMATS.some((one) => one === value), `must be one of ${FORMATS.join(', ')}`],
  reference: [
    (value) => typeof value === 'string' && REFERENCE.test(value),
    'must lead to a schema in #/$defs',
  ],
  // problemsIn looks at it.
  schema: [() => true, ''],
  schemas: [(value) => Array.isArray(value) && value.length > 0, 'must be a list of schemas'],
  map: [isMap, 'must be an object of schemas'],
  'name-lists': [
    (value) => isMap(value) && Object.values(value).every(isTexts),
    'must be an object of lists of texts',
  ],
};

function ruleBroken(form: Form, value: JsonValue): string | undefined {
  const [accepts, rule] = FORM_RULES[form];
  return accepts(value) ? undefined : rule;
}

/** Follows the references, so that a short schema cannot stand for a huge or an endless one. */
function sizeProblems(schema: DetailsSchema): readonly Mistaken[] {
  const definitions = isMap(schema['$defs']) ? schema['$defs'] : {};
  const sizes = new Map<string, number>();
  const missing: string[] = [];
  const sizeOf = (one: JsonValue): number => {
    let size = 1;
    changedSchemas(one, (each) => {
      size += 1;
      const { $ref } = each;
      const name = typeof $ref === 'string' ? REFERENCE.exec($ref)?.[1] : undefined;
      if (name !== undefined) size += sizeOfDefinition(name);
      return each;
    });
    return size;
  };
  const sizeOfDefinition = (name: string): number => {
    const known = sizes.get(name);
    if (known !== undefined) return known;
    const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (definition === undefined) missing.push(name);
    // A definition that leads back to itself has no end.
    sizes.set(name, Number.POSITIVE_INFINITY);
    sizes.set(name, definition === undefined ? 0 : sizeOf(definition));
    return sizes.get(name) ?? 0;
  };
  const size = sizeOf(schema);
  const [lost] = missing;
  if (lost !== undefined) return [{ pointer: `/$defs/${lost}`, detail: 'is missing' }];
  return size <= SUBSCHEMAS_MAX
    ? []
    : [
        {
          pointer: '',
          detail: `must have at most ${SUBSCHEMAS_MAX} subschemas, with those that $ref repeats, and no $ref that leads back to itself`,
        },
      ];
}
