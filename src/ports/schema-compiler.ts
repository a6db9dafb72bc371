import type { DetailsSchema } from '../spec/details-schema.ts';
import type { JsonValue } from '../spec/json.ts';

/** The place in a value that breaks its schema, as a JSON pointer, and why. Both may hold texts of the value's sender. */
export interface SchemaMistake {
  readonly pointer: string;
  readonly detail: string;
}

/**
 * Returns a function that says where a value breaks a schema; it returns undefined for a value that does not. It generates no code, and
 * its time grows linearly with each text of the value, whatever the patterns of the schema are.
 * @param schema without problems (`detailsSchemaProblems`)
 * @throws SchemaUnusable
 */
export type CompileSchema = (schema: DetailsSchema) => (value: JsonValue) => SchemaMistake | undefined;

/** A schema with a pattern that cannot be matched in linear time, or that is no pattern. The message names it. */
export class SchemaUnusable extends Error {
  override readonly name = 'SchemaUnusable';
}
