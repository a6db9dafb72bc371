import { registeredScope } from '../clients/registered-client.ts';
import type { Settings } from '../config/settings.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import { memberOf, parseScope } from '../spec/scope.ts';

/** The scope that a client may request if it registered no `scope` (OpenID Connect Core 1.0 §3.1.2.1, §5.4 and §11). */
export const OPENID_SCOPE = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;

/**
 * Returns the part of the requested scope that the client may have about an end-user. OpenID Connect Core 1.0 §3.1.2.1: "Scope
 * values used that are not understood by an implementation SHOULD be ignored". Values that the client is not registered for are
 * ignored too, and the token response names the granted scope.
 * @param offline whether the grant can have a refresh token; if not, the server "MUST ignore the offline_access request" (§11)
 * @returns undefined if the request is malformed; empty if no requested value can be granted
 */
export function grantableScope(
  settings: Settings,
  metadata: ClientMetadata,
  requested: string | undefined,
  offline: boolean,
): readonly string[] | undefined {
  const allowed = requestableScope(settings, metadata);
  const values = requested === undefined ? usual(metadata, allowed) : parseScope(requested);
  const isAllowed = memberOf(allowed);
  return values?.filter((value) => isAllowed(value) && (offline || value !== 'offline_access'));
}

/** Returns the scope values that a client may request about an end-user. */
export function requestableScope(settings: Settings, metadata: ClientMetadata): readonly string[] {
  const registered = metadata.scope === undefined ? OPENID_SCOPE : registeredScope(metadata);
  const whenAsked =
    settings['authorization.offline-access'] === 'when-asked' &&
    metadata.grant_types.includes('refresh_token');
  return whenAsked ? [...new Set([...registered, 'offline_access'])] : registered;
}

/**
 * Returns the scope of a request that names none: "a pre-defined default value" (RFC 6749 §3.3). It never includes `openid`
 * or `offline_access`: a client must ask for the person's identity and for a grant that outlives the session.
 */
function usual({ scope }: ClientMetadata, allowed: readonly string[]): readonly string[] {
  return scope === undefined
    ? []
    : allowed.filter((value) => value !== 'openid' && value !== 'offline_access');
}
