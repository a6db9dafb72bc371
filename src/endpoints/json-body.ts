import { type JsonLimits, type JsonValue, parseJsonObject } from '../spec/json.ts';
import type { Schema } from '../spec/json-schema.ts';
import { requireMediaType } from '../spec/media-type.ts';
import { Problem } from '../spec/problems.ts';
import { schemaMistakes } from '../spec/schema-check.ts';
import type { Contract, EndpointRequest } from './contract.ts';

export type JsonMembers = { readonly [name: string]: JsonValue };

/** Reads a body that its schema describes. @throws OAuthError invalid_request; Problem invalid_body with every mistake */
export function readBody(
  { content = {}, method }: Pick<Contract, 'content' | 'method'>,
  schema: Schema,
  { headers, body }: EndpointRequest,
  limits: JsonLimits,
): JsonMembers {
  requireMediaType(headers['content-type'], 'application/json', ...Object.keys(content));
  const { members } = parseJsonObject(body, limits);
  const errors = schemaMistakes(members, schema, method === 'PATCH' ? 'merge-patch' : 'whole');
  if (errors.length === 0) return members;
  throw new Problem(
    'invalid_body',
    errors.map(({ pointer, detail }) => `${pointer === '' ? 'the body' : pointer} ${detail}`).join('; '),
    { errors },
  );
}
