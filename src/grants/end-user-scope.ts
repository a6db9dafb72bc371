import { metadataOf, registeredScope } from '../clients/registered-client.ts';
import type { Settings } from '../config/settings.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { memberOf, OPENID_SCOPE, parseScope } from '../spec/scope.ts';

/**
 * Returns the part of the requested scope that the client may have about an end-user. OpenID Connect Core 1.0 §3.1.2.1: "Scope
 * values used that are not understood by an implementation SHOULD be ignored". Values that the client is not registered for are
 * ignored too, and the token response names the granted scope. A request that names no scope asks for the default scope of the
 * client, "a pre-defined default value" (RFC 6749 §3.3; decision 43), without `offline_access`: a client must ask for a grant
 * that outlives the session.
 * @param offline whether the grant can have a refresh token; if not, the server "MUST ignore the offline_access request" (§11)
 * @returns undefined if the request is malformed; empty if no requested value can be granted
 */
export function grantableScope(
  settings: Settings,
  client: StoredClient,
  requested: string | undefined,
  offline: boolean,
): readonly string[] | undefined {
  if (requested === undefined) return registeredScope(client).filter((value) => value !== 'offline_access');
  const isAllowed = memberOf(requestableScope(settings, client));
  return parseScope(requested)?.filter(
    (value) => isAllowed(value) && (offline || value !== 'offline_access'),
  );
}

/** Returns the scope values that a client may request about an end-user. */
export function requestableScope(settings: Settings, client: StoredClient): readonly string[] {
  const registered = registeredScope(client);
  const { scope, grant_types } = metadataOf(client);
  const whenAsked =
    settings['authorization.offline-access'] === 'when-asked' && grant_types.includes('refresh_token');
  if (scope !== undefined && !whenAsked) return registered;
  if (scope === undefined && registered.length === 0) return OPENID_SCOPE;
  const more = scope === undefined ? OPENID_SCOPE : ['offline_access'];
  return [...new Set([...more, ...registered])];
}
