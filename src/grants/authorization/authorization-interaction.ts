import type { KeyObject } from 'node:crypto';
import { isConsole } from '../../clients/console-client.ts';
import { subjectFor } from '../../clients/issued-jwt/pairwise-subject.ts';
import { consentIsOutdated } from '../../clients/metadata-document/document-state.ts';
import { logEvent, personEvent, type RequestOrigin } from '../../clients/person-event.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import type { Settings } from '../../config/settings.ts';
import type { AccountDirectory } from '../../ports/account-directory.ts';
import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ConsentStore, StoredConsent } from '../../ports/consent-store.ts';
import type { Log } from '../../ports/log.ts';
import type { Counting } from '../../ports/metrics.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import { canSignInWith, isStrongerAcr } from '../../sessions/acr-values.ts';
import { isAdminScope } from '../../spec/admin-scopes.ts';
import { responseTypeName, responseTypesOf } from '../../spec/grant-types.ts';
import type { Digest } from '../../spec/identifiers.ts';
import { memberOf } from '../../spec/scope.ts';
import { shownText } from '../../spec/shown-text.ts';
import { isLoopbackHost, parseUri } from '../../spec/uri.ts';
import { scopeNow } from '../admin-scope.ts';
import { registeredTypes } from '../authorization-details/detail-types.ts';
import { requestableScope } from '../end-user-scope.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { KeptOutcome } from './external-outcome.ts';
import { type NextStep, nextStep, requestedClaims } from './next-step.ts';
import { isStillTarget } from './response-target.ts';

/** The state of an authorisation request that is stored between pages, while its end-user answers. */
export interface WaitingRequest {
  readonly request: AuthorizationRequest;
  /** The session that began with a sign-in for this request. */
  readonly signedIn?: Digest;
  /** The session whose end-user agreed to the request; a later session must agree again. */
  readonly consented?: Digest;
  /** Locks the request while one sign-in for it is under way. */
  readonly taken?: boolean;
  /** The outcome that the operator's own sign-in page reported; kept until the browser returns. */
  readonly external?: KeptOutcome;
}

export interface ProgressNeeds {
  readonly clients: ClientStore;
  readonly directory: Pick<AccountDirectory, 'find'>;
  readonly consents: ConsentStore;
  readonly pairwiseSecret: KeyObject;
  readonly settings: Settings;
  /** Whether clients that the operator registered need consent only if a request demands it. */
  readonly consentImplied: boolean;
  /** Stores a client that is known by its document only, before an end-user's consent is stored. @throws OAuthError */
  readonly keepClient: (client: StoredClient) => Promise<StoredClient>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Counting, 'count'>;
}

/** A waiting request's client and next step. */
export interface Progress {
  readonly client: StoredClient;
  /** The request with the scope that this end-user can grant. */
  readonly request: AuthorizationRequest;
  readonly next: NextStep;
}

/**
 * Returns the next step of a waiting request; undefined if its client was deleted or registered anew, or if the client no
 * longer has the redirection URI.
 */
export async function progressOf(
  needs: ProgressNeeds,
  { request: received, signedIn, consented }: WaitingRequest,
  session: StoredSession | undefined,
): Promise<Progress | undefined> {
  const client = await needs.clients.find(received.client_id);
  if (!isStillTarget(client, received)) return undefined;
  const withdrawn = withdrawnMeanwhile(needs, client, received);
  if (withdrawn !== undefined) return { client, request: received, next: withdrawn };
  const request = await withinRole(needs, client, received, session);
  const next = nextStep(request, {
    session,
    sub:
      session === undefined ? undefined : subjectFor(metadataOf(client), session.sub, needs.pairwiseSecret),
    consent: session === undefined ? undefined : await standingConsent(needs, client, request, session),
    consentImplied: isConsole(client) || (needs.consentImplied && isOperators(client)),
    signedIn: session !== undefined && session.key === signedIn,
    consented: session !== undefined && session.key === consented,
    canSignInWith: (acr) => canSignInWith(needs.settings, acr),
    isStronger: (acr, than) => isStrongerAcr(needs.settings, acr, than),
    acrRequired: needs.settings['sign-in.acr-required'],
    now: needs.clock.now(),
  });
  const asksUser = next.step === 'consent' || next.step === 'grant';
  const isEmptied = request.scope.length === 0 && received.scope.length > 0;
  return { client, request, next: asksUser && isEmptied ? NO_ROLE : next };
}

const NO_ROLE: NextStep = {
  step: 'refuse',
  error: 'access_denied',
  error_description: 'the end-user has no admin_role that permits the requested scope',
};

/** Returns the request without the values of the administration that the end-user's role does not have. */
async function withinRole(
  { directory }: ProgressNeeds,
  client: StoredClient,
  request: AuthorizationRequest,
  session: StoredSession | undefined,
): Promise<AuthorizationRequest> {
  if (session === undefined || !request.scope.some(isAdminScope)) return request;
  const scope = scopeNow(request.scope, client, await directory.find(session.sub));
  return { ...request, scope };
}

/**
 * Returns the earlier consent of the end-user that still holds. The owner of a document may change what an end-user consented
 * to (draft-ietf-oauth-client-id-metadata-document-02 §8.3). And any program on the end-user's machine can state the client_id of
 * a public client and receive its response there, so such a client is asked about each time (RFC 8252 §8.6).
 */
async function standingConsent(
  { consents }: ProgressNeeds,
  client: StoredClient,
  { redirect_uri }: AuthorizationRequest,
  { sub }: StoredSession,
): Promise<StoredConsent | undefined> {
  if (client.document !== null && mayBeImpersonated(client, redirect_uri)) return undefined;
  const { client_id, instance } = client;
  const consent = await consents.find(sub, { client_id, instance });
  return consent === undefined || consentIsOutdated(client, consent) ? undefined : consent;
}

/** Says whether a response to this URI may reach any program of the end-user's machine that states the client_id. */
export function mayBeImpersonated(client: StoredClient, redirect_uri: string): boolean {
  if (metadataOf(client).token_endpoint_auth_method !== 'none') return false;
  const { http } = parseUri(redirect_uri) ?? {};
  return http === undefined || isLoopbackHost(http.host);
}

/** Returns the refusal of a request whose scope or response type the client lost while the end-user answered. */
function withdrawnMeanwhile(
  { settings }: Pick<ProgressNeeds, 'settings'>,
  client: StoredClient,
  { scope, response_type, device, backchannel, authorization_details }: AuthorizationRequest,
): Extract<NextStep, { readonly step: 'refuse' }> | undefined {
  const metadata = metadataOf(client);
  const allowed = requestableScope(settings, client);
  const name = response_type.join(' ');
  const registered = metadata.response_types.some((type) => responseTypeName(type) === name);
  const offered = responseTypesOf(settings['authorization.grant-types']).includes(name);
  if (device === undefined && backchannel === undefined && !(registered && offered))
    return {
      step: 'refuse',
      error: 'unauthorized_client',
      error_description: 'the client is no longer registered for this response_type',
    };
  const types = memberOf(registeredTypes(metadata));
  const lost = authorization_details?.find(({ type }) => !types(type));
  if (lost !== undefined)
    return {
      step: 'refuse',
      error: 'invalid_authorization_details',
      error_description: 'the client is no longer registered for the requested type of authorization_details',
    };
  return scope.every(memberOf(allowed))
    ? undefined
    : {
        step: 'refuse',
        error: 'invalid_scope',
        error_description: 'the client is no longer registered for the requested scope',
      };
}

/** Says whether the operator registered the client, with a master token or by command. */
function isOperators({ registered_via }: Pick<StoredClient, 'registered_via'>): boolean {
  return registered_via === 'cli' || registered_via.startsWith('master:');
}

/** Stores the consent of the end-user for this registration of the client. */
export async function rememberConsent(
  needs: ProgressNeeds,
  agreed: AuthorizationRequest,
  session: StoredSession,
  origin: RequestOrigin,
): Promise<void> {
  const { clients, consents, clock, keepClient } = needs;
  const { client_id, client_instance: instance } = agreed;
  const { sub } = session;
  const client = await clients.find(client_id);
  const request = client === undefined ? agreed : await withinRole(needs, client, agreed, session);
  if (client !== undefined && client.document !== null) {
    await keepClient(client);
    // An outdated consent must not be completed: the store would keep what it allowed.
    const earlier = await consents.find(sub, { client_id, instance });
    if (earlier !== undefined && consentIsOutdated(client, earlier))
      await withdrawOutdated(needs, sub, request, origin);
  }
  const scope = [...new Set(request.scope)].sort();
  const resources = [...new Set(request.resource)].sort();
  const consent = { sub, client_id, instance, scope, claims: requestedClaims(request), resources };
  const types = (request.authorization_details ?? []).map(({ type }) => `details:${type}`);
  const detail = shownText([...scope, ...types].join(' '), SCOPE_SHOWN_MAX);
  const event = personEvent(needs, 'consent.grant', { sub, client_id, detail }, origin);
  if ((await consents.grant(consent, clock.now(), event)) === undefined) return;
  logEvent(needs, event);
  needs.metrics.count('chancery_consents_total', { outcome: 'granted' });
}

/** Characters of scope and types of details that an event shows. */
const SCOPE_SHOWN_MAX = 500;

async function withdrawOutdated(
  needs: ProgressNeeds,
  sub: StoredSession['sub'],
  { client_id, client_instance: instance }: AuthorizationRequest,
  origin: RequestOrigin,
): Promise<void> {
  const about = { sub, client_id, actor: 'server', detail: 'the document of the client changed' };
  const event = personEvent(needs, 'consent.revoke', about, origin);
  if (!(await needs.consents.revoke(sub, { client_id, instance }, event))) return;
  logEvent(needs, event);
  needs.metrics.count('chancery_consents_total', { outcome: 'withdrawn' });
}
