import { digestOf, sameDigest } from '../../keys/digest.ts';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { NotFound } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import {
  ALL_PRIVILEGES,
  openPrivileges,
  privilegesOfScope,
  type RegistrationPrivileges,
} from '../../spec/registration-privileges.ts';
import { findAccessToken, scopeOf } from '../../tokens/access-token.ts';
import {
  bearerTokenNeeded,
  insufficientScope,
  invalidToken,
  masterTokenOf,
  presentedBearer,
} from '../../tokens/bearer-token.ts';
import type { AuditTrail } from '../audit-trail.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { privilegesWithStatement, type SoftwareStatement } from './software-statement.ts';

/** By what right somebody registers a client. */
export interface Registrant {
  readonly kind: 'open' | 'master' | 'initial' | 'statement' | 'federation';
  /** As the audit names it, and as the client remembers it: `open`, `master:LABEL`, `initial:LABEL`, `statement:ISSUER`, `federation:TRUST ANCHOR`. */
  readonly name: string;
  readonly privileges: RegistrationPrivileges;
  /** Present for `initial`: the token that the registration uses up. */
  readonly token?: StoredAccessToken;
}

/**
 * POST /clients: the master token, an initial access token, or in open mode nobody in particular.
 * @returns undefined for nobody in managed mode, where a software statement may yet authorise the registration
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
 * Who registers, once the software statement has been verified. Whoever presented a token has the privileges of the
 * token; for everybody else a statement whose issuer authorises registrations adds what is in it to the open ones.
 * @throws OAuthError invalid_token (a token is needed)
 */
export function authorisedRegistrant(
  needs: RegistryNeeds,
  authenticated: Registrant | undefined,
  statement: SoftwareStatement | undefined,
  trail: AuditTrail,
): Registrant {
  const isAnonymous = authenticated === undefined || authenticated.kind === 'open';
  if (isAnonymous && statement?.issuer.authorisesRegistration === true) {
    const name = `statement:${statement.issuer.issuer}`;
    trail.actor = name;
    const open = openPrivileges(needs.settings.openScopeValues);
    return { kind: 'statement', name, privileges: privilegesWithStatement(open, statement) };
  }
  if (authenticated === undefined) throw bearerTokenNeeded();
  return authenticated;
}

async function registrantOf(
  needs: RegistryNeeds,
  authorization: string | undefined,
): Promise<Registrant | undefined> {
  const token = presentedBearer(authorization, needs.settings.bearerTokenLengthMax);
  if (token === undefined) {
    if (!needs.settings.allowOpenRegistration) {
      if (statementsAuthorise(needs)) return undefined;
      throw bearerTokenNeeded();
    }
    return { kind: 'open', name: 'open', privileges: openPrivileges(needs.settings.openScopeValues) };
  }
  const master = masterTokenOf(digestOf(token), needs.settings.masterTokens);
  if (master !== undefined)
    return { kind: 'master', name: `master:${master.label}`, privileges: ALL_PRIVILEGES };
  const found = await findAccessToken(needs.accessTokens, token);
  if (found === undefined) throw invalidToken();
  const initial = await needs.accessTokens.store.findInitial(found.key);
  return {
    kind: 'initial',
    name: `initial:${initial?.label ?? ''}`,
    privileges: { ...privilegesOfScope(scopeOf(found)), redirect_hosts: initial?.redirect_hosts ?? 'any' },
    token: found,
  };
}

const statementsAuthorise = ({ softwareStatements }: RegistryNeeds): boolean =>
  softwareStatements?.issuers.some((issuer) => issuer.authorisesRegistration) ?? false;

/** GET /clients: the master token and nothing less. */
export async function requireMasterToken(
  needs: RegistryNeeds,
  authorization: string | undefined,
  trail: AuditTrail,
): Promise<void> {
  if (needs.settings.masterTokens.length === 0) throw insufficientScope(['client-reg']);
  const token = presentedBearer(authorization, needs.settings.bearerTokenLengthMax);
  if (token === undefined) throw bearerTokenNeeded();
  const digest = digestOf(token);
  const master = masterTokenOf(digest, needs.settings.masterTokens);
  if (master === undefined) {
    const known =
      (await findAccessToken(needs.accessTokens, token)) !== undefined ||
      (await needs.clients.hasRegistrationToken(digest));
    throw known ? insufficientScope(['client-reg']) : invalidToken();
  }
  trail.actor = `master:${master.label}`;
}

/** Who manages a client, and the client as it stood when that was established. */
export interface ClientManager {
  readonly kind: 'master' | 'registration';
  readonly client: StoredClient;
}

/**
 * GET, PUT and DELETE /clients/{id}: the master token, or the registration token of this very client. Only the master
 * token learns that an id does not exist (interface, Errors, rules 1 and 2).
 * @param client_id undefined for a segment that is not correctly encoded.
 * @throws OAuthError invalid_token, insufficient_scope; NotFound
 */
export async function authenticateManager(
  needs: RegistryNeeds,
  authorization: string | undefined,
  client_id: ClientId | undefined,
  trail: AuditTrail,
): Promise<ClientManager> {
  const token = presentedBearer(authorization, needs.settings.bearerTokenLengthMax);
  if (token === undefined) throw bearerTokenNeeded();
  const digest = digestOf(token);
  const client = client_id === undefined ? undefined : await needs.clients.find(client_id);
  // Whoever guesses at a client is found by looking for the client, so a refusal names it too.
  trail.client_id = client?.client_id ?? null;
  const master = masterTokenOf(digest, needs.settings.masterTokens);
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

/** Shorter ones were never registration tokens, whatever length they have had here. */
const REGISTRATION_TOKEN = /^[A-Za-z0-9]{43,}$/u;

/**
 * A client whose record is that of a backup comes with a token that is not in it: somebody guesses, or the client was
 * changed after the backup, and only an operator can help it now.
 */
function noteNewerToken({ log, restoration }: RegistryNeeds, client: StoredClient, token: string): void {
  if (restoration === undefined || client.issued_at > restoration.taken_at) return;
  if (!REGISTRATION_TOKEN.test(token)) return;
  log.warn(
    { client_id: client.client_id, ...restoration },
    'a registration token is newer than the restored record, or wrong',
  );
}
