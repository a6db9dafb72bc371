import { isDeepStrictEqual } from 'node:util';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { JsonValue } from '../../spec/json.ts';
import { memberOf } from '../../spec/scope.ts';
import type { AuthorizationDetail, AuthorizationDetails, DetailTypes } from './detail-types.ts';
import { invalidDetails, readAuthorizationDetails } from './read-details.ts';

/**
 * Returns the details of one token: those that its request names, within the granted ones (RFC 9396 §6.1). Each requested object
 * needs a granted object of its own: two payments of ten are not within one payment of ten.
 * @returns undefined if the request names none
 * @throws OAuthError invalid_authorization_details
 */
export function narrowedDetails(
  types: DetailTypes,
  metadata: ClientMetadata,
  granted: AuthorizationDetails | undefined,
  requested: string | undefined,
): AuthorizationDetails | undefined {
  const wanted = readAuthorizationDetails(types, metadata, requested);
  if (wanted === undefined) return undefined;
  const excess = firstWithoutGrant(types, granted ?? [], wanted);
  if (excess !== undefined)
    throw invalidDetails(
      `authorization_details[${excess}] was not granted: it must be a granted object, or narrower`,
    );
  return wanted;
}

/** Returns the details that a token with this audience carries: those for none of its servers stay away (RFC 9396 §9.1). */
export function detailsFor(
  details: AuthorizationDetails,
  audience: readonly string[],
): readonly AuthorizationDetail[] {
  if (audience.length === 0) return details;
  const isNamed = memberOf(audience);
  return details.filter(({ locations }) => !isTexts(locations) || locations.some(isNamed));
}

const isTexts = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');

/** Gives each requested object a granted object of its own. Returns the place of one that gets none. */
function firstWithoutGrant(
  types: DetailTypes,
  granted: readonly AuthorizationDetail[],
  wanted: AuthorizationDetails,
): number | undefined {
  const takers = new Map<number, number>();
  const serve = (index: number, tried: Set<number>): boolean =>
    granted.some((grant, place) => {
      if (tried.has(place) || !isWithin(types, grant, wanted[index])) return false;
      tried.add(place);
      const taker = takers.get(place);
      // The earlier taker may have another granted object.
      if (taker !== undefined && !serve(taker, tried)) return false;
      takers.set(place, index);
      return true;
    });
  const unserved = wanted.findIndex((_, index) => !serve(index, new Set()));
  return unserved === -1 ? undefined : unserved;
}

/**
 * Says whether a requested object asks for no more than a granted one: both have the same type and the same members, and each member
 * is equal, or is a list of a narrowable member with some of the granted values.
 */
function isWithin(
  { byName }: DetailTypes,
  granted: AuthorizationDetail,
  requested: AuthorizationDetail | undefined,
): boolean {
  if (requested === undefined || requested.type !== granted.type) return false;
  if (Object.keys(requested).length !== Object.keys(granted).length) return false;
  const isNarrowable = memberOf(byName.get(granted.type)?.narrowable ?? []);
  return Object.entries(requested).every(([name, value]) => {
    if (!Object.hasOwn(granted, name)) return false;
    const given = granted[name];
    return isDeepStrictEqual(value, given) || (isNarrowable(name) && isPart(value, given));
  });
}

/** A list without values could stand for all of them, so at least one must stay. */
function isPart(value: JsonValue, given: JsonValue | undefined): boolean {
  if (!Array.isArray(value) || !Array.isArray(given) || value.length === 0) return false;
  return value.every((one) => given.some((each) => isDeepStrictEqual(one, each)));
}
