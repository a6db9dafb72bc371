import type { JsonValue } from './json.ts';
import type { Schema, SchemaType } from './json-schema.ts';
import type { Mistaken } from './problems.ts';
import { SCHEMAS } from './schemas.ts';

const REFERENCE = '#/components/schemas/';

/** Whether a value replaces another one, or is merged into it: a null of a merge patch removes a member (RFC 7396 §1). */
type Kind = 'whole' | 'merge-patch';

/**
 * Returns what is wrong with a value, by JSON pointers (RFC 6901). Knows the keywords that `Schema` has, and stops at the
 * first mistake of each value.
 */
export function schemaMistakes(
  value: JsonValue,
  schema: Schema,
  kind: Kind = 'whole',
  pointer = '',
): readonly Mistaken[] {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) {
    const named = $ref.slice(REFERENCE.length) as keyof typeof SCHEMAS;
    return schemaMistakes(value, SCHEMAS[named], kind, pointer);
  }
  if (anyOf !== undefined) {
    const all = anyOf.map((each) => schemaMistakes(value, each, kind, pointer));
    return all.some((mistakes) => mistakes.length === 0) ? [] : mostTelling(all, pointer);
  }
  const detail = ownMistake(value, schema);
  if (detail !== undefined) return [{ pointer, detail }];
  if (Array.isArray(value))
    return value.flatMap((item, index) => itemMistakes(item, schema, `${pointer}/${index}`));
  return isObject(value) ? memberMistakes(value, schema, kind, pointer) : [];
}

type JsonObject = { readonly [name: string]: JsonValue };

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the mistakes by the schema that lets the value in furthest. */
function mostTelling(all: readonly (readonly Mistaken[])[], pointer: string): readonly Mistaken[] {
  return all.find((mistakes) => mistakes.some((each) => each.pointer !== pointer)) ?? all[0] ?? [];
}

const itemMistakes = (item: JsonValue, { items }: Schema, pointer: string): readonly Mistaken[] =>
  items === undefined ? [] : schemaMistakes(item, items, 'whole', pointer);

function memberMistakes(value: JsonObject, schema: Schema, kind: Kind, pointer: string): readonly Mistaken[] {
  const required = kind === 'whole' ? (schema.required ?? []) : [];
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ pointer: `${pointer}/${escaped(name)}`, detail: 'is missing' }));
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const place = `${pointer}/${escaped(name)}`;
    const own = schemaOfMember(schema, name);
    if (own === undefined) return [{ pointer: place, detail: notKnown(schema) }];
    return kind === 'merge-patch' && member === null ? [] : schemaMistakes(member, own, kind, place);
  });
  return [...missing, ...wrong];
}

const ANYTHING: Schema = {};

/** Returns undefined for a member that the object may not have. */
function schemaOfMember(
  { properties = {}, patternProperties = {}, additionalProperties = true }: Schema,
  name: string,
): Schema | undefined {
  const own = Object.hasOwn(properties, name) ? properties[name] : patternSchema(patternProperties, name);
  if (own !== undefined) return own;
  if (typeof additionalProperties === 'object') return additionalProperties;
  return additionalProperties ? ANYTHING : undefined;
}

const notKnown = ({ properties = {} }: Schema): string =>
  `is not known; the members are ${Object.keys(properties).join(', ')}`;

const patternSchema = (patterns: Readonly<Record<string, Schema>>, name: string): Schema | undefined =>
  Object.entries(patterns).find(([pattern]) => new RegExp(pattern, 'u').test(name))?.[1];

/** RFC 6901 §3. */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function ownMistake(value: JsonValue, schema: Schema): string | undefined {
  const { type, const: only, enum: values } = schema;
  if (only !== undefined && !sameValue(value, only)) return `must be ${JSON.stringify(only)}`;
  if (values !== undefined && !values.some((each) => sameValue(value, each)))
    return `must be one of ${values.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(', ')}`;
  if (type !== undefined) {
    const types = typeof type === 'string' ? [type] : type;
    if (!types.some((each) => hasType(value, each)))
      return `must be ${types.map((each) => TYPE_WORDS[each]).join(' or ')}`;
  }
  if (typeof value === 'string') return textMistake(value, schema);
  if (typeof value === 'number') return numberMistake(value, schema);
  return Array.isArray(value) ? listMistake(value, schema) : undefined;
}

const sameValue = (one: JsonValue, other: JsonValue): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const TYPE_WORDS: Readonly<Record<SchemaType, string>> = {
  string: 'a text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function hasType(value: JsonValue, type: SchemaType): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}

function textMistake(
  text: string,
  { minLength = 0, maxLength, pattern, format }: Schema,
): string | undefined {
  const { length } = text;
  if (length < minLength)
    return minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`;
  if (maxLength !== undefined && length > maxLength) return `must have at most ${maxLength} characters`;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return `must match ${pattern}`;
  if (format === 'uri' && !URL.canParse(text)) return 'must be an absolute URI';
  return undefined;
}

function numberMistake(value: number, { minimum, maximum }: Schema): string | undefined {
  if (minimum !== undefined && maximum !== undefined && (value < minimum || value > maximum))
    return `must be from ${minimum} to ${maximum}`;
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  return maximum !== undefined && value > maximum ? `must be at most ${maximum}` : undefined;
}

function listMistake(
  list: readonly JsonValue[],
  { minItems = 0, maxItems, uniqueItems }: Schema,
): string | undefined {
  if (list.length < minItems) return `must have at least ${minItems} items`;
  if (maxItems !== undefined && list.length > maxItems) return `must have at most ${maxItems} items`;
  if (uniqueItems === true && new Set(list.map((item) => JSON.stringify(item))).size < list.length)
    return 'must not have an item twice';
  return undefined;
}
