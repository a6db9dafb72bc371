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
import type { Registrant } from './registration-authority.ts';
import type { ValidatedMetadata } from './validate-metadata.ts';

const PRIVILEGED: readonly (readonly [name: string, privilege: MemberPrivilege])[] = Object.entries(
  CLIENT_METADATA,
).flatMap(([name, { privilege }]) => (privilege === undefined ? [] : [[name, privilege] as const]));

/**
 * What a request needs permission for, read before its values are checked: whoever lacks the privilege learns that
 * first, and nothing else.
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

/** Every `client-reg:*` scope value that the request would have needed besides. */
export function missingPrivileges(
  request: JsonObject,
  privileges: RegistrationPrivileges,
): readonly string[] {
  return missingScopes(needsOf(request), privileges);
}

/**
 * @param bearer whether the registrant presented a token; without one the answer is to present one (decision 6).
 * @throws OAuthError invalid_token (a token is needed), insufficient_scope (naming every missing value)
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

/** An initial access token may say where its client's users can be sent. Native schemes have no host and are not listed. */
export function requireAllowedHosts(metadata: ClientMetadata, privileges: RegistrationPrivileges): void {
  const { redirect_hosts } = privileges;
  if (redirect_hosts === 'any') return;
  for (const uri of [...(metadata.redirect_uris ?? []), ...(metadata.post_logout_redirect_uris ?? [])]) {
    const host = parseUri(uri)?.http?.host;
    if (host === undefined || !redirect_hosts.includes(host)) {
      throw new OAuthError('invalid_redirect_uri', {
        error_description: 'a redirection URI has a host that the initial access token does not allow',
      });
    }
  }
}

/**
 * What the client's own registration token may later register (decision 8): what the registrant was allowed. A choice
 * of identifier or secret, and how its access tokens are made, is never the client's own.
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
 * The master token is allowed everything, so what it registers is the measure: the client keeps that, cannot widen it,
 * and cannot take back what the master token took away.
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
