import { digestOf, sameDigest } from '../../keys/digest.ts';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { NotFound } from '../../spec/errors.ts';
import type { AccessTokenKey, ClientId } from '../../spec/identifiers.ts';
import type { JsonObject } from '../../spec/json.ts';
import {
  ALL_PRIVILEGES,
  openPrivileges,
  privilegesOfScope,
  type RegistrationPrivileges,
} from '../../spec/registration-privileges.ts';
import { memberOf, OPENID_SCOPE, parseScope } from '../../spec/scope.ts';
import { findAccessToken, initialAccessTokenKey, scopeOf } from '../../tokens/access-token.ts';
import {
  bearerTokenNeeded,
  insufficientScope,
  invalidToken,
  masterTokenOf,
  presentedBearer,
  usedToken,
} from '../../tokens/bearer-token.ts';
import type { AuditTrail } from '../audit-trail.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import type { HeldAdminScope } from './admin-scope.ts';
import { privilegesWithStatement, type SoftwareStatement } from './software-statement.ts';

/** The party that registers a client, and its privileges. */
export interface Registrant {
  readonly kind: 'open' | 'master' | 'initial' | 'statement' | 'federation' | 'document';
  /**
   * Its name in the audit log and in the client record: `open`, `master:LABEL`, `initial:LABEL`,
   * `statement:ISSUER`, `federation:TRUST ANCHOR`, `document`.
   */
  readonly name: string;
  readonly privileges: RegistrationPrivileges;
  /** The initial access token that the registration uses up; present for `initial` only. */
  readonly token?: StoredAccessToken;
  /** The IP address of its request. Absent on the command line. */
  readonly remoteAddress?: string;
}

/**
 * Authenticates the registrant of POST /clients: a master token, an initial access token, or no credential in
 * open mode.
 * @returns undefined for a request without credentials in managed mode, if a software statement may still
 * authorise it
 * @throws OAuthError invalid_token
 */
export async function authenticateRegistrant(
  needs: RegistryNeeds,
  authorization: string | undefined,
  trail: AuditTrail,
): Promise<Registrant | undefined> {
  const registrant = await registrantOf(needs, authorization);
  if (registrant !== undefined) trail.actor = registrant.name;
  return registrant;
}

/**
 * Returns the registrant after the software statement is verified. A token determines the privileges. Without
 * a token, a statement of an authorising issuer adds its grant types and scope to the open privileges.
 * @throws OAuthError invalid_token if a token is needed
 */
export function authorisedRegistrant(
  needs: RegistryNeeds,
  authenticated: Registrant | undefined,
  { request, statement }: { readonly request: JsonObject; readonly statement: SoftwareStatement | undefined },
  trail: AuditTrail,
): Registrant {
  const isAnonymous = authenticated === undefined || authenticated.kind === 'open';
  if (isAnonymous && statement?.issuer.authorisesRegistration === true) {
    const name = `statement:${statement.issuer.issuer}`;
    trail.actor = name;
    const open = privilegesWithoutToken(needs.settings);
    const privileges = withNamedOpenidScope(needs, privilegesWithStatement(open, statement), request);
    return { kind: 'statement', name, privileges };
  }
  if (authenticated === undefined) throw bearerTokenNeeded(NOT_OPEN);
  if (authenticated.kind !== 'open') return authenticated;
  return { ...authenticated, privileges: withNamedOpenidScope(needs, authenticated.privileges, request) };
}

/**
 * Returns privileges without a token together with the scope values of OpenID Connect that the request names, where the settings
 * say so. A client without `scope` may ask for these values in any case, so others gain nothing by naming them.
 */
function withNamedOpenidScope(
  { settings }: RegistryNeeds,
  privileges: RegistrationPrivileges,
  { members }: JsonObject,
): RegistrationPrivileges {
  const { scope } = privileges;
  if (!settings['registration.open-openid-scope'] || scope === 'any') return privileges;
  const named = typeof members['scope'] === 'string' ? (parseScope(members['scope']) ?? []) : [];
  return { ...privileges, scope: [...new Set([...scope, ...named.filter(memberOf(OPENID_SCOPE))])] };
}

const NOT_OPEN = 'registration is not open, so send an initial access token';

async function registrantOf(
  needs: RegistryNeeds,
  authorization: string | undefined,
): Promise<Registrant | undefined> {
  const token = presentedBearer(authorization, needs.settings['limits.bearer-token']);
  if (token === undefined) {
    if (!needs.settings['registration.allow-open-registration']) {
      if (statementsAuthorise(needs)) return undefined;
      throw bearerTokenNeeded(NOT_OPEN);
    }
    return {
      kind: 'open',
      name: 'open',
      privileges: privilegesWithoutToken(needs.settings),
    };
  }
  const master = masterTokenOf(digestOf(token), needs.masterTokens);
  if (master !== undefined)
    return { kind: 'master', name: `master:${master.label}`, privileges: ALL_PRIVILEGES };
  const found = await findAccessToken(needs.accessTokens, token);
  if (found === undefined) throw (await isUsedInDevelopment(needs, token)) ? usedToken() : invalidToken();
  const initial = await needs.accessTokens.store.findInitial(found.key);
  return {
    kind: 'initial',
    name: `initial:${initial?.label ?? ''}`,
    privileges: { ...privilegesOfScope(scopeOf(found)), redirect_hosts: initial?.redirect_hosts ?? 'any' },
    token: found,
  };
}

type Settings = RegistryNeeds['settings'];

/** They are the same for every open registration, so they are made once. */
const withoutToken = new WeakMap<Settings, RegistrationPrivileges>();

/** Returns the privileges of a party that presents no token, under the current settings. */
export function privilegesWithoutToken(settings: Settings): RegistrationPrivileges {
  let privileges = withoutToken.get(settings);
  if (privileges === undefined) {
    privileges = openPrivileges(openScope(settings));
    withoutToken.set(settings, privileges);
  }
  return privileges;
}

/**
 * Returns the scope values that a client may register without a token. `offline_access` is one where every client may ask for
 * it: MCP clients register the scope that they will ask for, and include it if discovery names it.
 */
function openScope(settings: Settings): readonly string[] {
  const values = settings['registration.open-scope-values'];
  return settings['authorization.offline-access'] === 'when-asked' ? [...values, 'offline_access'] : values;
}

/** Says whether a token has made a registration, where the settings let errors show their cause (decision 6). */
async function isUsedInDevelopment(
  { settings, accessTokens }: RegistryNeeds,
  token: string,
): Promise<boolean> {
  const key = settings['pages.error-details'] ? initialAccessTokenKey(token) : undefined;
  if (key === undefined) return false;
  // The page that begins with this key.
  const [listed] = await accessTokens.store.pageInitial(key.slice(0, -1) as AccessTokenKey, 1);
  return listed?.key === key && listed.used_at !== null;
}

const statementsAuthorise = ({ softwareStatements }: RegistryNeeds): boolean =>
  softwareStatements?.issuers.some((issuer) => issuer.authorisesRegistration) ?? false;

/**
 * Authenticates GET /clients, which needs a master token.
 * @throws OAuthError invalid_token, insufficient_scope
 */
export async function requireMasterToken(
  needs: RegistryNeeds,
  authorization: string | undefined,
  trail: AuditTrail,
): Promise<void> {
  if (needs.masterTokens.length === 0) throw insufficientScope(['client-reg']);
  const token = presentedBearer(authorization, needs.settings['limits.bearer-token']);
  if (token === undefined) throw bearerTokenNeeded();
  const digest = digestOf(token);
  const master = masterTokenOf(digest, needs.masterTokens);
  if (master === undefined) {
    const known =
      (await findAccessToken(needs.accessTokens, token)) !== undefined ||
      (await needs.clients.hasRegistrationToken(digest));
    throw known ? insufficientScope(['client-reg']) : invalidToken();
  }
  trail.actor = `master:${master.label}`;
}

/** The kind of credential, and the client as it was when the credential was checked. */
export interface ClientManager {
  readonly kind: 'master' | 'registration';
  readonly client: StoredClient;
  /** The values of the administration API that it may give the client; absent: those that the client has. */
  readonly adminScope?: HeldAdminScope;
}

/**
 * Authenticates GET, PUT and DELETE /clients/{id}: a master token, or the registration token of this client.
 * Only a master token learns that an id does not exist (interface, Errors, rules 1 and 2).
 * @param client_id undefined for a path segment that is not correctly encoded
 * @throws OAuthError invalid_token, insufficient_scope; NotFound
 */
export async function authenticateManager(
  needs: RegistryNeeds,
  authorization: string | undefined,
  client_id: ClientId | undefined,
  trail: AuditTrail,
): Promise<ClientManager> {
  const token = presentedBearer(authorization, needs.settings['limits.bearer-token']);
  if (token === undefined) throw bearerTokenNeeded();
  const digest = digestOf(token);
  const client = client_id === undefined ? undefined : await needs.clients.find(client_id);
  // Guessing shows in the events of the client, so a refusal names it too.
  trail.client_id = client?.client_id ?? null;
  const master = masterTokenOf(digest, needs.masterTokens);
  if (master !== undefined) {
    trail.actor = `master:${master.label}`;
    if (client === undefined) throw new NotFound();
    return { kind: 'master', client };
  }
  if (client !== undefined && sameDigest(digest, client.registration_token_digest)) {
    trail.actor = 'registration';
    return { kind: 'registration', client };
  }
  const isAccessToken = (await findAccessToken(needs.accessTokens, token)) !== undefined;
  if (client !== undefined && !isAccessToken) noteNewerToken(needs, client, token);
  throw isAccessToken ? insufficientScope(['client-reg']) : invalidToken();
}

/** Registration tokens were never shorter, whatever length was configured. */
const REGISTRATION_TOKEN = /^[A-Za-z0-9]{43,}$/u;

/**
 * Logs a refused registration token of a client from a backup. Either the caller guesses, or the client was
 * changed after the backup and needs an operator.
 */
function noteNewerToken({ log, restoration }: RegistryNeeds, client: StoredClient, token: string): void {
  if (restoration === undefined || client.issued_at > restoration.taken_at) return;
  if (!REGISTRATION_TOKEN.test(token)) return;
  log.warn(
    { client_id: client.client_id, ...restoration },
    'registration token is wrong, or newer than the restored record',
  );
}
