import { registeredScope } from '../clients/registered-client.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import { parseScope } from '../spec/scope.ts';

/** OpenID Connect Core 1.0 §3.1.2.1, §5.4 and §11: what a client may ask for that registered no `scope`. */
export const OPENID_SCOPE = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;

/**
 * What a client may have of the scope that it asks for about an end-user. OpenID Connect Core 1.0 §3.1.2.1: "Scope values used
 * that are not understood by an implementation SHOULD be ignored"; so are those it is not registered for: the token response
 * says what was granted.
 * @param offline whether a refresh token can come of it. §11: otherwise "MUST ignore the offline_access request"
 * @returns undefined where the request is malformed; empty where nothing of it can be granted
 */
export function grantableScope(
  metadata: ClientMetadata,
  requested: string | undefined,
  offline: boolean,
): readonly string[] | undefined {
  const allowed = requestableScope(metadata);
  const values = requested === undefined ? usual(metadata, allowed) : parseScope(requested);
  return values?.filter((value) => allowed.includes(value) && (offline || value !== 'offline_access'));
}

/** What a client may ask for about an end-user. */
export function requestableScope(metadata: ClientMetadata): readonly string[] {
  return metadata.scope === undefined ? OPENID_SCOPE : registeredScope(metadata);
}

/** RFC 6749 §3.3: without one, "a pre-defined default value": never who the person is, nor a grant that outlives the session. */
function usual({ scope }: ClientMetadata, allowed: readonly string[]): readonly string[] {
  return scope === undefined
    ? []
    : allowed.filter((value) => value !== 'openid' && value !== 'offline_access');
}
