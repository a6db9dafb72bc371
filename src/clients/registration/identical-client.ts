import { digestOf } from '../../keys/digest.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { Digest } from '../../spec/identifiers.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import type { Registrant } from './registration-authority.ts';

/** Members whose values are sets: their order has no meaning. */
const SETS = new Set([
  'redirect_uris',
  'grant_types',
  'response_types',
  'contacts',
  'post_logout_redirect_uris',
]);

/**
 * Returns the digest that identical open registrations of public clients share; null for clients that are
 * never shared. Programs that register at every start then get the same client and do not fill the registry.
 */
export function sharedDigest(
  needs: RegistryNeeds,
  registrant: Registrant,
  metadata: ClientMetadata,
): Digest | null {
  const shared =
    needs.settings['registration.open-idempotent'] &&
    registrant.kind === 'open' &&
    metadata.token_endpoint_auth_method === 'none';
  return shared ? digestOf(canonicalText(metadata)) : null;
}

function canonicalText(metadata: ClientMetadata): string {
  const members = Object.entries(metadata)
    .map(
      ([name, value]) =>
        [name, SETS.has(name) && Array.isArray(value) ? value.toSorted(byText) : value] as const,
    )
    .map(([name, value]) => [name, canonical(value ?? null)] as const);
  return JSON.stringify(members.sort(byName));
}

/** Returns the value with the members of its objects sorted by name. */
function canonical(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, canonical(member)] as const);
  return Object.fromEntries(members.sort(byName));
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  byText(one, other);

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
