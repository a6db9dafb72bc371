import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { changedNumber } from '../../spec/exact-json.ts';
import { type JsonValue, parseJsonArray } from '../../spec/json.ts';
import { memberOf } from '../../spec/scope.ts';
import {
  type AuthorizationDetail,
  type AuthorizationDetails,
  type DetailTypes,
  registeredTypes,
} from './detail-types.ts';

/** Objects of one request. */
const DETAILS_MAX = 20;

/**
 * Reads the parameter `authorization_details` (RFC 9396 §2). §5: "The AS MUST refuse to process any unknown authorization details
 * type or authorization details not conforming to the respective type definition."
 * @returns undefined for a request without the parameter
 * @throws OAuthError invalid_authorization_details
 */
export function readAuthorizationDetails(
  types: DetailTypes,
  metadata: ClientMetadata,
  text: string | undefined,
): AuthorizationDetails | undefined {
  if (text === undefined) return undefined;
  if (text.length > types.length)
    throw invalidDetails(`authorization_details must have at most ${types.length} characters`);
  const list = parseJsonArray(text, types.json);
  if (list === undefined)
    throw invalidDetails(
      `authorization_details must be a JSON array of objects, nested at most ${types.json.depth} deep, with at most ${types.json.members} members in each object and no member twice`,
    );
  requireKeptNumbers(text);
  return checkedDetails(types, registeredTypes(metadata), list);
}

/**
 * Refuses details with a number that would change on its way to the token: an amount of money must not.
 * @param text the details as they were sent; more JSON may stand around them
 * @throws OAuthError invalid_authorization_details
 */
export function requireKeptNumbers(text: string): void {
  const changed = changedNumber(text);
  if (changed !== undefined)
    throw invalidDetails(
      `authorization_details has the number ${quotedValue(changed)}, which not every reader keeps; send it as a text`,
    );
}

/**
 * Checks values as details.
 * @param allowed the types that they may have
 * @throws OAuthError invalid_authorization_details
 */
export function checkedDetails(
  types: DetailTypes,
  allowed: readonly string[],
  list: readonly JsonValue[],
): AuthorizationDetails {
  if (list.length > DETAILS_MAX)
    throw invalidDetails(`authorization_details must have at most ${DETAILS_MAX} objects`);
  const [first, ...more] = list.map((value, index) => checkedDetail(types, allowed, value, index));
  if (first === undefined)
    throw invalidDetails(
      'authorization_details must have an object; leave the parameter out to ask for none',
    );
  return [first, ...more];
}

function checkedDetail(
  types: DetailTypes,
  registered: readonly string[],
  value: JsonValue,
  index: number,
): AuthorizationDetail {
  const place = `authorization_details[${index}]`;
  if (!isDetail(value)) throw invalidDetails(`${place} must be a JSON object with a text as type`);
  const { type } = value;
  const known = types.byName.get(type);
  // One answer for types that are unknown and for those of other clients.
  if (known === undefined || !memberOf(registered)(type)) {
    const usable = registered.filter((each) => types.byName.has(each));
    const allowed = usable.length === 0 ? 'no type' : quotedValue(usable.join(' '));
    throw invalidDetails(
      `${place} has type ${quotedValue(type)}, which is unknown or not registered for this client; registered: ${allowed}`,
      { type },
    );
  }
  if (!isPreserved(value))
    throw invalidDetails(
      `${place} has a number that not every reader keeps; send whole numbers beyond 2^53 as texts`,
    );
  const mistake = known.mistakeIn(value);
  if (mistake !== undefined)
    throw invalidDetails(
      `${place} breaks the schema of type ${quotedValue(type)} at ${quotedValue(mistake.pointer)}: ${quotedValue(mistake.detail)}`,
      { type },
    );
  return value;
}

function isDetail(value: JsonValue): value is AuthorizationDetail {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    typeof (value as AuthorizationDetail).type === 'string'
  );
}

/** Says whether all numbers are those that the client wrote: a payment must not change by its way through `JSON.parse`. */
function isPreserved(value: JsonValue): boolean {
  if (typeof value === 'number')
    return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isPreserved);
}

export function invalidDetails(
  error_description: string,
  values: Readonly<Record<string, unknown>> = {},
): OAuthError {
  return new OAuthError('invalid_authorization_details', {
    error_description,
    reason: 'authorization-details',
    values,
  });
}
