import { createRequire } from 'node:module';
import type * as JsonSchema from '@cfworker/json-schema';
import type * as Re2 from 're2js';
import { type CompileSchema, SchemaUnusable } from '../ports/schema-compiler.ts';
import { changedSchemas, type DetailsSchema } from '../spec/details-schema.ts';
import type { JsonValue } from '../spec/json.ts';

/** Interprets schemas with a library. Patterns run on an engine without backtracking: people write them, and strangers send the texts. */
export const compileSchema: CompileSchema = (schema) => {
  const { validate, dereference, format } = jsonSchema();
  const linear = changedSchemas(schema, (one) => {
    const { pattern, ...others } = one;
    if (typeof pattern !== 'string') return one;
    const name = `pattern ${pattern}`;
    format[name] ??= matcherOf(pattern);
    return withFormat(others, name);
  });
  const lookup = dereference(linear);
  return (value) => {
    const { valid, errors } = validate(value, linear, '2020-12', lookup, true);
    if (valid) return undefined;
    // The library names the whole value first, and then leads to the place of the mistake.
    const last = errors.at(-1);
    const isUnknown = last?.keyword === 'false';
    const detail = isUnknown ? 'is a member that the type does not have' : withoutNames(last?.error ?? '');
    return { pointer: last?.instanceLocation.slice(1) ?? '', detail };
  };
};

// Few servers have types of authorisation details: only those load the packages.
const jsonSchema = () => createRequire(import.meta.url)('@cfworker/json-schema') as typeof JsonSchema;
const re2 = () => createRequire(import.meta.url)('re2js') as typeof Re2;

/** The name of a format is a pattern of the schema, which the sender of a value has no use for. */
const withoutNames = (error: string): string =>
  error.startsWith('String does not match format "pattern ') ? 'String does not match the pattern.' : error;

/** Adds a format beside the one that the schema may have. */
function withFormat(schema: DetailsSchema, format: string): DetailsSchema {
  const allOf = schema['allOf'];
  const all: readonly JsonValue[] = Array.isArray(allOf) ? allOf : [];
  return { ...schema, allOf: [...all, { format }] };
}

function matcherOf(pattern: string): (text: string) => boolean {
  const { RE2JS } = re2();
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matcher(text).find();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SchemaUnusable(`pattern ${pattern} cannot be used: ${why}`, { cause });
  }
}
