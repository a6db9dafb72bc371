import { CLIENT_METADATA, type MemberPrivilege } from '../spec/client-metadata.ts';
import { type GrantType, isGrantType } from '../spec/grant-types.ts';
import type { JsonObject } from '../spec/json.ts';
import {
  missingScopes,
  type RegistrationNeeds,
  type RegistrationPrivileges,
} from '../spec/registration-privileges.ts';
import { parseScope } from '../spec/scope.ts';
import { bearerTokenNeeded, insufficientScope } from '../tokens/bearer-token.ts';

/**
 * What a request needs permission for, read before its values are checked: whoever lacks the privilege learns that
 * first, and nothing else.
 */
function needsOf(request: JsonObject): RegistrationNeeds {
  const { grant_types, scope } = request.members;
  const grants: readonly unknown[] = Array.isArray(grant_types) ? grant_types : ['authorization_code'];
  const members = new Set<MemberPrivilege>();
  for (const [name, { privilege }] of Object.entries(CLIENT_METADATA)) {
    const value = request.members[name];
    if (privilege !== undefined && value !== undefined && value !== null) members.add(privilege);
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

/**
 * @param bearer whether the registrant presented a token; without one the answer is to present one (decision 6).
 * @throws OAuthError invalid_token (a token is needed), insufficient_scope (naming every missing value)
 */
export function requirePrivileges(
  request: JsonObject,
  privileges: RegistrationPrivileges,
  bearer: boolean,
): void {
  const missing = missingScopes(needsOf(request), privileges);
  if (missing.length === 0) return;
  if (!bearer) throw bearerTokenNeeded();
  throw insufficientScope(missing);
}
