import { CLIENT_METADATA, type ClientMetadata, type MemberPrivilege } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import { type GrantType, isGrantType } from '../../spec/grant-types.ts';
import type { JsonObject } from '../../spec/json.ts';
import {
  missingScopes,
  type RegistrationNeeds,
  type RegistrationPrivileges,
} from '../../spec/registration-privileges.ts';
import { parseScope } from '../../spec/scope.ts';
import { parseUri } from '../../spec/uri.ts';
import { bearerTokenNeeded, insufficientScope } from '../../tokens/bearer-token.ts';
import { registeredScope } from '../registered-client.ts';
import { shownUri } from './metadata-rules.ts';
import type { Registrant } from './registration-authority.ts';
import type { ValidatedMetadata } from './validate-metadata.ts';

const PRIVILEGED: readonly (readonly [name: string, privilege: MemberPrivilege])[] = Object.entries(
  CLIENT_METADATA,
).flatMap(([name, { privilege }]) => (privilege === undefined ? [] : [[name, privilege] as const]));

/**
 * Returns what a request needs privileges for. Reads values before they are checked, so that a caller without
 * the privilege learns only that.
 */
function needsOf(request: JsonObject): RegistrationNeeds {
  const { grant_types, scope } = request.members;
  const grants: readonly unknown[] = Array.isArray(grant_types) ? grant_types : ['authorization_code'];
  const members = new Set<MemberPrivilege>();
  for (const [name, privilege] of PRIVILEGED) {
    const value = request.members[name];
    if (value !== undefined && value !== null) members.add(privilege);
  }
  const values = typeof scope === 'string' ? (parseScope(scope) ?? []) : [];
  return {
    grant_types: grants.filter(
      (grant): grant is GrantType => typeof grant === 'string' && isGrantType(grant),
    ),
    scope: members.has('scope') ? values : undefined,
    members,
  };
}

/** Returns every `client-reg:*` scope value that the request needs and the privileges lack. */
export function missingPrivileges(
  request: JsonObject,
  privileges: RegistrationPrivileges,
): readonly string[] {
  return missingScopes(needsOf(request), privileges);
}

/**
 * Rejects a request that needs more than its privileges.
 * @param bearer whether the registrant presented a token. Without one the error asks for a token (decision 6)
 * @throws OAuthError invalid_token if a token is needed; insufficient_scope with every missing value
 */
export function requirePrivileges(
  request: JsonObject,
  privileges: RegistrationPrivileges,
  bearer: boolean,
): void {
  const missing = missingPrivileges(request, privileges);
  if (missing.length === 0) return;
  if (!bearer) throw bearerTokenNeeded();
  throw insufficientScope(missing);
}

/**
 * Rejects redirection URIs whose host the initial access token does not allow. URIs of private-use schemes
 * have no host and are not allowed either.
 * @throws OAuthError invalid_redirect_uri
 */
export function requireAllowedHosts(metadata: ClientMetadata, privileges: RegistrationPrivileges): void {
  const { redirect_hosts } = privileges;
  if (redirect_hosts === 'any') return;
  for (const member of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    for (const [index, uri] of (metadata[member] ?? []).entries()) {
      const host = parseUri(uri)?.http?.host;
      if (host !== undefined && redirect_hosts.includes(host)) continue;
      throw new OAuthError('invalid_redirect_uri', {
        error_description: `${member}[${index}] ${shownUri(uri)} has a host that the initial access token does not allow`,
      });
    }
  }
}

/**
 * Returns the privileges of the client's own registration token (decision 8): those of its registrant. They
 * never include the choice of identifier or secret, nor the token policy.
 */
export function rememberedPrivileges(
  registrant: Registrant,
  validated: ValidatedMetadata,
): RegistrationPrivileges {
  if (registrant.kind === 'master') return privilegesByMaster(validated);
  const { grant_types, scope, data, redirect_hosts } = registrant.privileges;
  return { grant_types, scope, data, set_id: false, set_secret: false, redirect_hosts };
}

/**
 * Returns the privileges of a client that the master token registered or changed. They are what its metadata
 * uses: the client keeps that, cannot widen it, and cannot restore what the master token removed.
 */
export function privilegesByMaster({ metadata, data }: ValidatedMetadata): RegistrationPrivileges {
  return {
    grant_types: metadata.grant_types,
    scope: registeredScope(metadata),
    data: data !== null,
    set_id: false,
    set_secret: false,
    redirect_hosts: 'any',
  };
}
