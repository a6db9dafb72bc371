import { tokenPolicyOf } from '../clients/registration/token-policy.ts';
import type { Settings } from '../config/settings.ts';
import { isAdminScope } from '../spec/admin-scopes.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import { OAuthError, quotedValue } from '../spec/errors.ts';
import { memberOf, OPENID_SCOPE } from '../spec/scope.ts';
import { parseUri } from '../spec/uri.ts';

/**
 * Returns the audience of an access token, from the `resource` parameters of its request (RFC 8707 §2). Each value is an
 * absolute URI without a fragment. It must be in the client's own list; without such a list, in the server's.
 * @param requested the values, separated by spaces; undefined stands for the client's own audience
 * @throws OAuthError invalid_target
 */
export function audienceFor(
  settings: Settings,
  metadata: ClientMetadata,
  requested: string | undefined,
): readonly string[] {
  const own = tokenPolicyOf(metadata).audience;
  if (requested === undefined) return own ?? [];
  const resources = [...new Set(requested.split(' '))];
  const allowed = own ?? settings['access-token.resources'];
  const isAllowed = memberOf(allowed);
  for (const resource of resources) {
    if (resource.length > settings['limits.uri-length'] || parseUri(resource)?.hasFragment !== false)
      throw invalidTarget(
        `resource ${quotedValue(resource)} must be an absolute URI of at most ${settings['limits.uri-length']} characters without a fragment`,
      );
    if ((own !== undefined || allowed.length > 0) && !isAllowed(resource))
      throw invalidTarget(`resource ${quotedValue(resource)} is not allowed for this client`);
  }
  return resources;
}

/**
 * Returns the audience of an access token, as `audienceFor`. With `access-token.require-resource`, a request without `resource`
 * gets a token only for scope of this server's own. The audience is then the issuer, so that no other server takes the token.
 * @throws OAuthError invalid_target
 */
export function requestedAudience(
  settings: Settings,
  metadata: ClientMetadata,
  requested: string | undefined,
  scope: readonly string[],
): readonly string[] {
  const audience = audienceFor(settings, metadata, requested);
  if (audience.length > 0 || !settings['access-token.require-resource']) return audience;
  const foreign = scope.find((value) => !isOwnScope(settings, value));
  if (foreign === undefined) return [settings.issuer];
  throw invalidTarget(
    `resource is missing: this server requires it for scope ${quotedValue(foreign)}; allowed: the absolute URI of the server that the token is for`,
  );
}

/** Says whether a scope value is about endpoints of this server: UserInfo, the administration, or those that it is the address of. */
function isOwnScope({ issuer }: Settings, value: string): boolean {
  const isOpenid = (OPENID_SCOPE as readonly string[]).includes(value);
  return isOpenid || isAdminScope(value) || value.startsWith(`${issuer}/`);
}

/**
 * Returns the audience of a refreshed access token: the granted one or a part of it (RFC 8707 §2.2).
 * @throws OAuthError invalid_target
 */
export function narrowedAudience(
  granted: readonly string[],
  requested: string | undefined,
): readonly string[] {
  if (requested === undefined) return granted;
  const resources = [...new Set(requested.split(' '))];
  const isGranted = memberOf(granted);
  const excess = resources.find((resource) => !isGranted(resource));
  if (excess !== undefined) throw invalidTarget(`resource ${quotedValue(excess)} was not granted`);
  return resources;
}

/** Builds the error for an audience that is not allowed (RFC 8707 §2, RFC 8693 §2.2.2). */
export function invalidTarget(error_description: string): OAuthError {
  return new OAuthError('invalid_target', { error_description, reason: 'resource' });
}
