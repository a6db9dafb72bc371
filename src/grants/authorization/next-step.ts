import type { StoredConsent } from '../../ports/consent-store.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import type { ErrorCode } from '../../spec/errors.ts';
import type { AuthorizationRequest, ClaimRequest } from './authorization-request.ts';

/** What an authorisation request needs next: a page for its end-user, an error for its client, or nothing more. */
export type NextStep =
  | { readonly step: 'sign-in' }
  | { readonly step: 'consent' }
  | { readonly step: 'refuse'; readonly error: ErrorCode; readonly error_description: string }
  | { readonly step: 'grant'; readonly session: StoredSession };

export interface Circumstances {
  /** The live session of the browser. */
  readonly session: StoredSession | undefined;
  /** The end-user as the client knows them: a pairwise identifier where it registered for those. */
  readonly sub: string | undefined;
  readonly consent: StoredConsent | undefined;
  /** Whether the operator has agreed for everybody: never so for clients that anybody could have registered. */
  readonly consentImplied: boolean;
  /** What has happened in this very interaction. */
  readonly signedIn: boolean;
  readonly consented: boolean;
  /** Seconds since the Unix epoch. */
  readonly now: number;
}

/** OpenID Connect Core 1.0 §3.1.2.3 and §3.1.2.4, in their order: who is there, whether that is enough, whether they agree. */
export function nextStep(request: AuthorizationRequest, circumstances: Circumstances): NextStep {
  const silent = request.prompt.includes('none');
  const { session } = circumstances;
  if (session !== undefined && circumstances.signedIn && isAnother(request, circumstances))
    return refusal('login_required', 'somebody else signed in than the request is about');
  if (session === undefined || mustSignIn(request, session, circumstances)) {
    return silent
      ? refusal('login_required', 'the end-user is not signed in as the request wants')
      : { step: 'sign-in' };
  }
  if (!meetsEssential(request.claims.id_token['acr'], session.acr))
    return refusal(
      'unmet_authentication_requirements',
      'the end-user cannot sign in as the claim acr demands',
    );
  if (circumstances.consented || !mustConsent(request, circumstances)) return { step: 'grant', session };
  return silent
    ? refusal('consent_required', 'the end-user has not agreed to what is asked for')
    : { step: 'consent' };
}

function refusal(error: ErrorCode, error_description: string): NextStep {
  return { step: 'refuse', error, error_description };
}

/** §3.1.2.3: "MUST attempt to Authenticate": no session, `prompt=login`, too long ago, or somebody else. */
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
  // §3.1.2.1, `max_age`: 0 is as good as prompt=login, within the second of a sign-in too.
  return max_age === 0 || (max_age !== undefined && now - auth_time > max_age);
}

/** §3.1.2.1, `id_token_hint`, and §3.1.2.2: whoever is there, only this one will do. */
function isAnother({ hinted_sub, claims }: AuthorizationRequest, { sub }: Circumstances): boolean {
  const wanted = claims.id_token['sub']?.value;
  return (hinted_sub !== undefined && hinted_sub !== sub) || (wanted !== undefined && wanted !== sub);
}

/** OpenID Connect Core 1.0 §5.5.1.1: only an essential `acr` that names values is a condition. */
function meetsEssential(request: ClaimRequest | undefined, acr: string | null): boolean {
  if (request?.essential !== true) return true;
  const wanted = [...(request.values ?? []), ...(request.value === undefined ? [] : [request.value])];
  return wanted.length === 0 || (acr !== null && wanted.includes(acr));
}

function mustConsent(request: AuthorizationRequest, { consent, consentImplied }: Circumstances): boolean {
  if (request.prompt.includes('consent')) return true;
  // §11: "the Authorization Server … MUST NOT … unless … conditions for processing the request permitting offline access".
  if (consentImplied && !request.scope.includes('offline_access')) return false;
  return !covers(consent, request);
}

/** Whether what is asked for was agreed to before. */
function covers(consent: StoredConsent | undefined, request: AuthorizationRequest): boolean {
  if (consent === undefined) return false;
  return (
    request.scope.every((value) => consent.scope.includes(value)) &&
    requestedClaims(request).every((name) => consent.claims.includes(name)) &&
    request.resource.every((uri) => consent.resources.includes(uri))
  );
}

/** About the request and not about the person: nobody need agree to them. */
const PROTOCOL_CLAIMS: ReadonlySet<string> = new Set(['acr', 'auth_time', 'amr', 'sub', 'sid']);

/** Claims that are asked for one by one (§5.5), in alphabetical order. */
export function requestedClaims({ claims }: Pick<AuthorizationRequest, 'claims'>): readonly string[] {
  const names = [...Object.keys(claims.userinfo), ...Object.keys(claims.id_token)];
  return [...new Set(names)].filter((name) => !PROTOCOL_CLAIMS.has(name)).sort();
}
