import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { ClientId } from '../../spec/identifiers.ts';

/**
 * Says whether a token is meant for the caller: its `aud` names the caller or a resource that the caller registered. A token
 * without `aud` is meant for every caller (decision 26; RFC 7662 §4: "the authorization server MUST determine whether the
 * token … can be used at the protected resource making the introspection call").
 * @param metadata of the caller
 */
export function isMeantFor(
  token: StoredAccessToken,
  caller: ClientId,
  metadata: ClientMetadata | undefined,
): boolean {
  const { aud } = JSON.parse(token.introspection) as { readonly aud?: readonly string[] };
  if (aud === undefined || aud.includes(caller)) return true;
  const resources = (metadata?.['resource_identifiers'] ?? []) as readonly string[];
  return resources.some((resource) => aud.includes(resource));
}
