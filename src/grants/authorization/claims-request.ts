import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { type JsonLimits, type JsonValue, parseJsonObject } from '../../spec/json.ts';
import type { ClaimRequest, ClaimsRequest } from './authorization-request.ts';

export const NO_CLAIMS: ClaimsRequest = { userinfo: {}, id_token: {} };

const CLAIMS_MAX = 50;
const NAME_LENGTH_MAX = 256;

type JsonMap = { readonly [name: string]: JsonValue };

const isMap = (value: JsonValue | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses the `claims` parameter (OpenID Connect Core 1.0 §5.5). "Any members used that are not understood MUST be ignored";
 * unknown claims are ignored too.
 * @returns for a malformed value, the problem as words that follow the parameter's name
 */
export function parseClaims(text: string, limits: JsonLimits): ClaimsRequest | string {
  let members: JsonMap;
  try {
    ({ members } = parseJsonObject(Buffer.from(text), limits));
  } catch (failure) {
    if (failure instanceof OAuthError) return 'must be a JSON object';
    throw failure;
  }
  const userinfo = claimsOf('userinfo', members['userinfo']);
  const id_token = claimsOf('id_token', members['id_token']);
  return typeof userinfo === 'string'
    ? userinfo
    : typeof id_token === 'string'
      ? id_token
      : { userinfo, id_token };
}

function claimsOf(
  member: 'userinfo' | 'id_token',
  value: JsonValue | undefined,
): Readonly<Record<string, ClaimRequest>> | string {
  if (value === undefined || value === null) return {};
  if (!isMap(value)) return `member ${member} must be a JSON object`;
  const entries = Object.entries(value);
  if (entries.length > CLAIMS_MAX) return `member ${member} must name at most ${CLAIMS_MAX} claims`;
  const claims: [string, ClaimRequest][] = [];
  for (const [name, request] of entries) {
    if (name === '' || name.length > NAME_LENGTH_MAX)
      return `member ${member} must have claim names of 1 to ${NAME_LENGTH_MAX} characters`;
    const read = claimOf(request);
    if (typeof read === 'string') return `member ${member}: claim ${quotedValue(name)} ${read}`;
    claims.push([name, read]);
  }
  return Object.fromEntries(claims);
}

function claimOf(value: JsonValue): ClaimRequest | string {
  if (value === null) return null;
  if (!isMap(value)) return 'must be null or a JSON object';
  const { essential, values } = value;
  if (essential !== undefined && typeof essential !== 'boolean')
    return 'must have true or false as essential';
  if (values !== undefined && !Array.isArray(values)) return 'must have an array as values';
  return {
    ...(essential === undefined ? {} : { essential }),
    ...(value['value'] === undefined ? {} : { value: value['value'] }),
    ...(values === undefined ? {} : { values: values as readonly JsonValue[] }),
  };
}
