import type { JsonValue } from './json.ts';

/** The part of JSON Schema 2020-12 that the API description uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly description?: string;
  readonly const?: JsonValue;
  readonly enum?: readonly JsonValue[];
  readonly format?: 'uri' | 'uri-reference';
  readonly pattern?: string;
  /** Octets of this type, which are no text; without `type`. */
  readonly contentMediaType?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

export type SchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

export const TEXT: Schema = { type: 'string' };
export const FLAG: Schema = { type: 'boolean' };
export const OBJECT: Schema = { type: 'object' };
export const TEXTS: Schema = { type: 'array', items: TEXT };
/** Seconds since the Unix epoch, or a number of them. */
export const SECONDS: Schema = { type: 'integer', minimum: 0 };
export const WEB_ADDRESS: Schema = { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' };

/** RFC 9396 §2. */
export const AUTHORIZATION_DETAILS: Schema = {
  type: 'array',
  items: { type: 'object', properties: { type: TEXT }, required: ['type'] },
};

/** Returns the schema of a closed object: a member that it does not name is a fault of the server. */
export function closed(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Returns a schema with a description. */
export const said = (description: string, schema: Schema): Schema => ({ description, ...schema });
