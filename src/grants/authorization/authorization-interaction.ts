import type { KeyObject } from 'node:crypto';
import { subjectFor } from '../../clients/issued-jwt/pairwise-subject.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ConsentStore } from '../../ports/consent-store.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import { responseTypeName } from '../../spec/grant-types.ts';
import type { Digest } from '../../spec/identifiers.ts';
import { requestableScope } from '../end-user-scope.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { KeptOutcome } from './external-outcome.ts';
import { type NextStep, nextStep, requestedClaims } from './next-step.ts';
import { isStillTarget } from './response-target.ts';

/** An authorisation request while its end-user answers: what is kept between pages. */
export interface WaitingRequest {
  readonly request: AuthorizationRequest;
  /** The session that somebody signed in to for this request; another one, or an older one, is not that. */
  readonly signedIn?: Digest;
  /** The session that agreed to it: whoever signs in after that has not. */
  readonly consented?: Digest;
  /** Somebody is being signed in for it: until that is done nobody else does anything with it. */
  readonly taken?: boolean;
  /** What the operator's own sign-in page has said of it, until its browser comes back. */
  readonly external?: KeptOutcome;
}

export interface ProgressNeeds {
  readonly clients: ClientStore;
  readonly consents: ConsentStore;
  readonly pairwiseSecret: KeyObject;
  /** Whether clients that the operator registered need nobody's consent, beyond what a request asks for itself. */
  readonly consentImplied: boolean;
  readonly clock: Clock;
}

/** Where a request stands, with its client; undefined where that is gone, another one, or answered elsewhere meanwhile. */
export interface Progress {
  readonly client: StoredClient;
  readonly next: NextStep;
}

export async function progressOf(
  needs: ProgressNeeds,
  { request, signedIn, consented }: WaitingRequest,
  session: StoredSession | undefined,
): Promise<Progress | undefined> {
  const client = await needs.clients.find(request.client_id);
  if (!isStillTarget(client, request)) return undefined;
  const withdrawn = withdrawnMeanwhile(client, request);
  if (withdrawn !== undefined) return { client, next: withdrawn };
  const who = { client_id: client.client_id, instance: client.instance };
  const next = nextStep(request, {
    session,
    sub:
      session === undefined ? undefined : subjectFor(metadataOf(client), session.sub, needs.pairwiseSecret),
    consent: session === undefined ? undefined : await needs.consents.find(session.sub, who),
    consentImplied: needs.consentImplied && isOperators(client),
    signedIn: session !== undefined && session.key === signedIn,
    consented: session !== undefined && session.key === consented,
    now: needs.clock.now(),
  });
  return { client, next };
}

/** What was registered when the request was read may have been taken from the client while its end-user answered. */
function withdrawnMeanwhile(
  client: StoredClient,
  { scope, response_type }: AuthorizationRequest,
): Extract<NextStep, { readonly step: 'refuse' }> | undefined {
  const metadata = metadataOf(client);
  const allowed = requestableScope(metadata);
  const name = response_type.join(' ');
  if (!metadata.response_types.some((registered) => responseTypeName(registered) === name))
    return {
      step: 'refuse',
      error: 'unauthorized_client',
      error_description: 'the client is not registered for response_type any more',
    };
  return scope.every((value) => allowed.includes(value))
    ? undefined
    : {
        step: 'refuse',
        error: 'invalid_scope',
        error_description: 'the client is not registered for the scope any more',
      };
}

/** Whether the operator answers for a client: registered with a master token or by command, not by whoever came by. */
function isOperators({ registered_via }: Pick<StoredClient, 'registered_via'>): boolean {
  return registered_via === 'cli' || registered_via.startsWith('master:');
}

/** Remembers what was agreed to, for this client as it is registered now. */
export async function rememberConsent(
  { consents, clock }: Pick<ProgressNeeds, 'consents' | 'clock'>,
  request: AuthorizationRequest,
  { sub }: StoredSession,
): Promise<void> {
  const { client_id, client_instance: instance } = request;
  const scope = [...new Set(request.scope)].sort();
  const resources = [...new Set(request.resource)].sort();
  const consent = { sub, client_id, instance, scope, claims: requestedClaims(request), resources };
  await consents.grant(consent, clock.now());
}
