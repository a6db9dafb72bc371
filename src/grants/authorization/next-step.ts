import type { StoredConsent } from '../../ports/consent-store.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import type { ErrorCode } from '../../spec/errors.ts';
import { memberOf } from '../../spec/scope.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { requestedAcr } from './requested-acr.ts';

/** The next step of an authorisation request: a page for the end-user, an error for the client, or the grant. */
export type NextStep =
  | { readonly step: 'sign-in' }
  | { readonly step: 'consent' }
  | { readonly step: 'refuse'; readonly error: ErrorCode; readonly error_description: string }
  | { readonly step: 'grant'; readonly session: StoredSession };

export interface Circumstances {
  /** The live session of the browser. */
  readonly session: StoredSession | undefined;
  /** The end-user as the client knows them; a pairwise identifier if the client registered for one. */
  readonly sub: string | undefined;
  readonly consent: StoredConsent | undefined;
  /** Whether the operator consents for all end-users; never for clients that registered openly. */
  readonly consentImplied: boolean;
  /** Whether the end-user signed in during this interaction. */
  readonly signedIn: boolean;
  /** Whether the end-user consented during this interaction. */
  readonly consented: boolean;
  /** Whether a new sign-in can have this `acr`. */
  readonly canSignInWith: (acr: string) => boolean;
  /** Whether an `acr` is stronger than another, where the settings have an order. */
  readonly isStronger: (acr: string, than: string) => boolean;
  /** Whether `acr_values` is a requirement, and not a wish. */
  readonly acrRequired: boolean;
  /** Seconds since the Unix epoch. */
  readonly now: number;
}

/** Decides the next step in the order of OpenID Connect Core 1.0 §3.1.2.3 and §3.1.2.4: sign-in, its strength, then consent. */
export function nextStep(request: AuthorizationRequest, circumstances: Circumstances): NextStep {
  const silent = request.prompt.includes('none');
  const { session } = circumstances;
  if (session !== undefined && circumstances.signedIn && isAnother(request, circumstances))
    return refusal('login_required', 'the end-user who signed in is not the one that the request names');
  if (session === undefined || mustSignIn(request, session, circumstances)) {
    return silent
      ? refusal('login_required', 'prompt is none, and the end-user must sign in first')
      : { step: 'sign-in' };
  }
  const otherAcr = stepForAcr(request, session, circumstances);
  if (otherAcr !== undefined) return otherAcr;
  if (circumstances.consented || !mustConsent(request, circumstances)) return { step: 'grant', session };
  return silent
    ? refusal('consent_required', 'prompt is none, and the end-user must consent first')
    : { step: 'consent' };
}

function refusal(error: ErrorCode, error_description: string): NextStep {
  return { step: 'refuse', error, error_description };
}

/**
 * Says whether the end-user must sign in again: `prompt=login`, a sign-in that is too old, or another end-user than requested
 * (§3.1.2.3: "MUST attempt to Authenticate").
 */
function mustSignIn(
  request: AuthorizationRequest,
  { auth_time }: StoredSession,
  circumstances: Circumstances,
): boolean {
  const { prompt, max_age } = request;
  const { signedIn, now } = circumstances;
  if (isAnother(request, circumstances)) return true;
  if (signedIn) return false;
  if (prompt.includes('login') || prompt.includes('select_account')) return true;
  // §3.1.2.1: max_age 0 equals prompt=login, also within the second of a sign-in.
  return max_age === 0 || (max_age !== undefined && now - auth_time > max_age);
}

/** Says whether the request names another end-user, by `id_token_hint` (§3.1.2.1) or by the claim `sub` (§3.1.2.2). */
function isAnother({ hinted_sub, claims }: AuthorizationRequest, { sub }: Circumstances): boolean {
  const wanted = claims.id_token['sub']?.value;
  return (hinted_sub !== undefined && hinted_sub !== sub) || (wanted !== undefined && wanted !== sub);
}

/**
 * Returns the step for a session that has none of the `acr` values that the request names: a sign-in that can have one, once in
 * an interaction, and then a refusal if one is required (RFC 9470 §5). Without a requirement the request goes on with the `acr`
 * that there is (OpenID Connect Core 1.0 §5.5.1.1). Returns undefined if the session is good enough.
 */
function stepForAcr(
  request: AuthorizationRequest,
  { acr }: StoredSession,
  { signedIn, canSignInWith, isStronger, acrRequired }: Circumstances,
): NextStep | undefined {
  const silent = request.prompt.includes('none');
  const unmet = requestedAcr(request, acrRequired).find(
    ({ values, exact }) =>
      acr === null || !values.some((value) => value === acr || (!exact && isStronger(acr, value))),
  );
  if (unmet === undefined) return undefined;
  const canHelp = !signedIn && unmet.values.some(canSignInWith);
  if (canHelp && !silent) return { step: 'sign-in' };
  if (!unmet.required) return undefined;
  return canHelp
    ? refusal('login_required', 'prompt is none, and the end-user must sign in with another acr first')
    : refusal('unmet_authentication_requirements', 'the sign-in has no acr that the request requires');
}

function mustConsent(request: AuthorizationRequest, { consent, consentImplied }: Circumstances): boolean {
  if (request.prompt.includes('consent')) return true;
  // Details are about one act, such as a payment: neither an earlier consent nor the operator agrees to it.
  if (request.authorization_details !== undefined) return true;
  // §11: "the Authorization Server … MUST NOT … unless … conditions for processing the request permitting offline access".
  if (consentImplied && !request.scope.includes('offline_access')) return false;
  return !covers(consent, request);
}

/** Says whether an earlier consent covers the scope, claims and resources of the request. */
function covers(consent: StoredConsent | undefined, request: AuthorizationRequest): boolean {
  if (consent === undefined) return false;
  return (
    request.scope.every(memberOf(consent.scope)) &&
    requestedClaims(request).every(memberOf(consent.claims)) &&
    request.resource.every(memberOf(consent.resources))
  );
}

/** Claims about the sign-in rather than the person, which need no consent. */
const PROTOCOL_CLAIMS: ReadonlySet<string> = new Set(['acr', 'auth_time', 'amr', 'sub', 'sid']);

/** Returns the names of the claims that the `claims` parameter requests (§5.5), in alphabetical order. */
export function requestedClaims({ claims }: Pick<AuthorizationRequest, 'claims'>): readonly string[] {
  const names = [...Object.keys(claims.userinfo), ...Object.keys(claims.id_token)];
  return [...new Set(names)].filter((name) => !PROTOCOL_CLAIMS.has(name)).sort();
}
