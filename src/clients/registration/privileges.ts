import {
  CLIENT_METADATA,
  type ClientMetadata,
  isAbsent,
  type MemberPrivilege,
} from '../../spec/client-metadata.ts';
import { quotedValue } from '../../spec/errors.ts';
import { DEVICE_GRANT, type GrantType } from '../../spec/grant-types.ts';
import type { JsonObject, JsonValue } from '../../spec/json.ts';
import { type Mistake, shownUri } from '../../spec/metadata-mistake.ts';
import {
  missingScopes,
  type RegistrationNeeds,
  type RegistrationPrivileges,
} from '../../spec/registration-privileges.ts';
import { memberOf, parseScope } from '../../spec/scope.ts';
import { parseUri } from '../../spec/uri.ts';
import { bearerTokenNeeded, insufficientScope } from '../../tokens/bearer-token.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { givenAdminScope } from './admin-scope.ts';
import type { Registrant } from './registration-authority.ts';
import type { ValidatedMetadata } from './validate-metadata.ts';

const PRIVILEGED: readonly (readonly [name: string, privilege: MemberPrivilege])[] = Object.entries(
  CLIENT_METADATA,
).flatMap(([name, { privilege }]) => (privilege === undefined ? [] : [[name, privilege] as const]));

/**
 * Returns what a request needs privileges for. Reads values before they are checked, so that a caller without
 * the privilege learns only that.
 */
function needsOf(request: JsonObject, offered: readonly GrantType[]): RegistrationNeeds {
  const { grant_types, scope } = request.members;
  const grants: readonly unknown[] =
    Array.isArray(grant_types) && !isAbsent(grant_types) ? grant_types : ['authorization_code'];
  const members = new Set<MemberPrivilege>();
  for (const [name, privilege] of PRIVILEGED) {
    if (!isAbsent(request.members[name])) members.add(privilege);
  }
  const values = typeof scope === 'string' && scope !== '' ? (parseScope(scope) ?? []) : [];
  return {
    // The others are dropped, or refused for everyone.
    grant_types: grants.flatMap((grant) => offered.find((one) => one === grant) ?? []),
    scope: members.has('scope') ? values : undefined,
    members,
  };
}

/**
 * Returns the grant types that a registrant may name. Common clients name the one for devices beside those that they use, and
 * a registrant without a token may not have it: it is dropped then, as one that the server does not offer (decision 42). Some
 * name others too. They are dropped where the settings say so, if the client can sign end-users in without them.
 * @param asked the `grant_types` of the request; absent for entities of a federation
 */
export function offeredTo(
  { metadataLimits, settings }: Pick<RegistryNeeds, 'metadataLimits' | 'settings'>,
  { grant_types: permitted }: RegistrationPrivileges,
  presentedToken: boolean,
  asked?: JsonValue,
): readonly GrantType[] {
  const { grantTypes: offered } = metadataLimits;
  if (presentedToken || permitted === 'any') return offered;
  const signsIn = Array.isArray(asked) && asked.includes(SIGN_IN) && permitted.includes(SIGN_IN);
  const dropsAll = signsIn && settings['registration.open-other-grants'] === 'drop';
  return offered.filter((grant) => permitted.includes(grant) || !(dropsAll || grant === DEVICE_GRANT));
}

const SIGN_IN = 'authorization_code' satisfies GrantType;

/**
 * Returns every `client-reg:*` scope value that the request needs and the privileges lack.
 * @param offered the grant types of the server
 */
export function missingPrivileges(
  request: JsonObject,
  privileges: RegistrationPrivileges,
  offered: readonly GrantType[],
): readonly string[] {
  return missingScopes(needsOf(request, offered), privileges);
}

/**
 * Rejects a request that needs more than its privileges.
 * @param bearer whether the registrant presented a token. Without one the error asks for a token (decision 6)
 * @throws OAuthError invalid_token if a token is needed; insufficient_scope with every missing value
 */
export function requirePrivileges(
  request: JsonObject,
  privileges: RegistrationPrivileges,
  offered: readonly GrantType[],
  bearer: boolean,
): void {
  const missing = missingPrivileges(request, privileges, offered);
  if (missing.length === 0) return;
  if (!bearer) throw bearerTokenNeeded(`it must permit ${privilegedParts(request, privileges, offered)}`);
  throw insufficientScope(missing);
}

/** Values of one member that a text shows, and the characters of each. */
const SHOWN_MAX = 3;
const SHOWN_LENGTH_MAX = 48;
const ALLOWED_MAX = 10;

/** Names the members that need a token, and those of their values that need one (decision 43). */
function privilegedParts(
  request: JsonObject,
  privileges: RegistrationPrivileges,
  offered: readonly GrantType[],
): string {
  const { grant_types, scope = [] } = needsOf(request, offered);
  const others = PRIVILEGED.filter(([name]) => name !== 'scope' && !isAbsent(request.members[name]));
  return [
    ...privilegedValues('grant_types', grant_types, privileges.grant_types),
    ...privilegedValues('scope', scope, privileges.scope),
    ...others.map(([name]) => name),
  ].join(' and ');
}

function privilegedValues(
  member: string,
  wanted: readonly string[],
  allowed: 'any' | readonly string[],
): readonly string[] {
  if (allowed === 'any') return [];
  const isFree = memberOf(allowed);
  const values = wanted.filter((value) => !isFree(value));
  if (values.length === 0) return [];
  const shown = listed(
    values.map((value) => quotedValue(value.slice(0, SHOWN_LENGTH_MAX))),
    SHOWN_MAX,
  );
  return [`${member} ${shown} (allowed without a token: ${listed(allowed, ALLOWED_MAX) || 'none'})`];
}

const listed = (values: readonly string[], most: number): string =>
  `${values.slice(0, most).join(', ')}${values.length > most ? ', ...' : ''}`;

/**
 * Returns the redirection URIs whose host the initial access token does not allow. URIs of private-use schemes have no host
 * and are not allowed either.
 */
export function hostMistakes(
  metadata: ClientMetadata,
  { redirect_hosts }: RegistrationPrivileges,
): readonly Mistake[] {
  if (redirect_hosts === 'any') return [];
  const mistakes: Mistake[] = [];
  for (const member of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    for (const [index, uri] of (metadata[member] ?? []).entries()) {
      const host = parseUri(uri)?.http?.host;
      if (host !== undefined && redirect_hosts.includes(host)) continue;
      const rule = 'has a host that the initial access token does not allow';
      mistakes.push({ member, index, value: shownUri(uri), rule, error: 'invalid_redirect_uri' });
    }
  }
  return mistakes;
}

/**
 * Returns the privileges of the client's own registration token (decision 8), as JSON text: those of its registrant. They
 * never include the choice of identifier or secret, nor the token policy.
 */
export function rememberedPrivileges(registrant: Registrant, validated: ValidatedMetadata): string {
  if (registrant.kind === 'master') return JSON.stringify(privilegesByMaster(validated));
  let text = remembered.get(registrant.privileges);
  if (text === undefined) {
    const { grant_types, scope, data, redirect_hosts } = registrant.privileges;
    text = JSON.stringify({ grant_types, scope, data, set_id: false, set_secret: false, redirect_hosts });
    remembered.set(registrant.privileges, text);
  }
  return text;
}

/** Open registrations share their privileges, so their text is made once. */
const remembered = new WeakMap<RegistrationPrivileges, string>();

/**
 * Returns the privileges of a client that the master token registered or changed. They are what its metadata
 * uses: the client keeps that, cannot widen it, and cannot restore what the master token removed.
 */
export function privilegesByMaster({ metadata, data }: ValidatedMetadata): RegistrationPrivileges {
  return {
    grant_types: metadata.grant_types,
    scope: parseScope(metadata.scope ?? '') ?? [],
    data: data !== null,
    set_id: false,
    set_secret: false,
    redirect_hosts: 'any',
    ...givenAdminScope(metadata),
  };
}
