import { ERROR_CODES, type ErrorCode, OAuthError, quotedValue } from '../../spec/errors.ts';
import type { Digest, Subject } from '../../spec/identifiers.ts';
import type { JsonValue } from '../../spec/json.ts';
import { memberOf } from '../../spec/scope.ts';
import type { AuthorizationDetails, DetailTypes } from '../authorization-details/detail-types.ts';
import { checkedDetails, requireKeptNumbers } from '../authorization-details/read-details.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { requestedClaims } from './next-step.ts';

/** The outcome that the operator's own sign-in page reports for an authorisation request. */
export type ExternalOutcome = ExternalRefusal | ExternalSignIn;

export interface ExternalRefusal {
  readonly error: ErrorCode;
  readonly error_description: string;
}

export interface ExternalSignIn {
  readonly subject: Subject;
  readonly claims: Readonly<Record<string, JsonValue>> | undefined;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** Seconds since the Unix epoch. */
  readonly auth_time: number;
  /** Undefined if this server's own page is to ask for consent where it is needed. */
  readonly consent: ExternalConsent | undefined;
}

/** The part of the request that the end-user agreed to. */
export interface ExternalConsent {
  readonly scope: readonly string[];
  readonly claims: readonly string[];
  /** As the end-user agreed: the requested details, fewer, or with what the page has added (RFC 9396 §7.1). */
  readonly authorization_details?: AuthorizationDetails;
}

/** An outcome as the waiting request stores it. The account already holds the claims. */
export type KeptOutcome = { readonly proof: Digest } & (
  | { readonly refused: ExternalRefusal }
  | {
      readonly signedIn: Omit<ExternalSignIn, 'subject' | 'claims'> & {
        readonly sub: Subject;
        readonly accountVersion: number;
      };
    }
);

/** Errors that the page may send to a client: those about the person, from OpenID Connect Core 1.0 §3.1.2.6 and RFC 6749 §4.1.2.1. */
const REFUSALS: ReadonlySet<string> = new Set<ErrorCode>([
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
  'unmet_authentication_requirements',
  'temporarily_unavailable',
  'server_error',
]);

/** OpenID Connect Core 1.0 §2, `sub`: "MUST NOT exceed 255 ASCII characters in length". */
const SUBJECT = /^[\x21-\x7e]{1,255}$/;
const WORD = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const AMR_MAX = 16;
/** Seconds by which the clocks of two machines may differ. */
const CLOCK_LEEWAY = 10;

type Members = Readonly<Record<string, JsonValue>>;

/** The time at which the request began, and the current time, in seconds since the Unix epoch. */
export interface OutcomeTimes {
  readonly begun_at: number;
  readonly now: number;
}

/** Everything that the reader of an outcome knows beside it. */
export interface OutcomeCircumstances {
  readonly times: OutcomeTimes;
  readonly detailTypes: DetailTypes;
  /** The member `consent` as the page wrote it. */
  readonly consentText: string | undefined;
}

type DetailCircumstances = Pick<OutcomeCircumstances, 'detailTypes' | 'consentText'>;

/**
 * Reads the outcome that the page sent.
 * @throws OAuthError invalid_request that names the member
 */
export function readExternalOutcome(
  members: Members,
  request: AuthorizationRequest,
  { times, detailTypes, consentText }: OutcomeCircumstances,
): ExternalOutcome {
  requireKnownMembers(members);
  if (members['error'] !== undefined) return readRefusal(members);
  const { subject, acr = null, amr = [], claims, consent } = members;
  if (typeof subject !== 'string' || !SUBJECT.test(subject))
    throw wrong('subject', 'must be 1 to 255 ASCII characters without spaces');
  if (acr !== null && !isWord(acr))
    throw wrong('acr', 'must be 1 to 255 ASCII characters without spaces, quotation marks and backslashes');
  if (!isWords(amr) || amr.length > AMR_MAX)
    throw wrong(
      'amr',
      `must be a list of at most ${AMR_MAX} strings of 1 to 255 ASCII characters without spaces`,
    );
  if (claims !== undefined && !isObject(claims)) throw wrong('claims', 'must be an object');
  return {
    subject: subject as Subject,
    claims,
    acr,
    amr,
    auth_time: readAuthTime(members['auth_time'], request, times),
    consent: consent === undefined ? undefined : readConsent(consent, request, { detailTypes, consentText }),
  };
}

const SIGN_IN_MEMBERS = ['subject', 'acr', 'amr', 'claims', 'auth_time', 'consent'];
const REFUSAL_MEMBERS = ['error', 'error_description'];

/** Refuses members of the other kind of outcome, and unknown ones: a slip of the pen must not turn into a sign-in. */
function requireKnownMembers(members: Members): void {
  const [kind, known] =
    members['error'] === undefined
      ? ['a sign-in', SIGN_IN_MEMBERS]
      : ['an outcome with error', REFUSAL_MEMBERS];
  const strange = Object.keys(members).find((name) => !known.includes(name));
  if (strange !== undefined)
    throw wrong(quotedValue(strange), `is not a member of ${kind}, which may have ${known.join(', ')}`);
}

function readRefusal({
  error,
  error_description = 'the sign-in page refused the request',
}: Members): ExternalRefusal {
  if (typeof error !== 'string' || !(error in ERROR_CODES) || !REFUSALS.has(error))
    throw wrong('error', `must be one of ${[...REFUSALS].join(', ')}`);
  if (typeof error_description !== 'string' || !DESCRIPTION.test(error_description))
    throw wrong('error_description', 'must be 1 to 200 ASCII characters');
  return { error: error as ErrorCode, error_description };
}

/**
 * Reads `auth_time`, and refuses a time that is too old for `prompt` or `max_age` (OpenID Connect Core 1.0 §3.1.2.1). At this
 * point the page can still ask the end-user to authenticate again.
 */
function readAuthTime(
  given: JsonValue | undefined,
  { prompt, max_age }: AuthorizationRequest,
  { begun_at, now }: OutcomeTimes,
): number {
  const auth_time = given ?? now;
  if (
    typeof auth_time !== 'number' ||
    !Number.isSafeInteger(auth_time) ||
    auth_time < 0 ||
    auth_time > now + CLOCK_LEEWAY
  )
    throw wrong('auth_time', 'must be a whole number of seconds since the Unix epoch, not in the future');
  const anew = prompt.includes('login') || prompt.includes('select_account') || max_age === 0;
  const since = anew ? begun_at : max_age === undefined ? auth_time : now - max_age;
  if (auth_time + CLOCK_LEEWAY < since)
    throw wrong(
      'auth_time',
      'is too old for prompt or max_age of the request: the end-user must authenticate again',
    );
  return Math.min(auth_time, now);
}

function readConsent(
  consent: JsonValue,
  request: AuthorizationRequest,
  details: DetailCircumstances,
): ExternalConsent {
  if (!isObject(consent)) throw wrong('consent', 'must be an object');
  const asked = requestedClaims(request);
  const { scope, claims = asked } = consent;
  if (!isWords(scope) || !scope.every(memberOf(request.scope)))
    throw wrong('consent.scope', 'must be a list of scope values of the request');
  if (request.scope.includes('openid') && !scope.includes('openid'))
    throw wrong('consent.scope', 'must contain openid; send error access_denied to refuse the request');
  if (!isWords(claims) || !claims.every(memberOf(asked)))
    throw wrong('consent.claims', 'must be a list of claims of the request');
  const authorization_details = agreedDetails(consent['authorization_details'], request, details);
  if (
    request.authorization_details !== undefined &&
    authorization_details === undefined &&
    scope.length === 0
  )
    throw wrong('consent', 'must hold something; send error access_denied to refuse the request');
  return { scope, claims, ...(authorization_details === undefined ? {} : { authorization_details }) };
}

/**
 * Reads the details that the end-user agreed to. The page may narrow and enrich them (RFC 9396 §7.1): it speaks for the operator. They
 * have types of the request, and meet their schemas again. A page that does not know of details must not agree to them.
 */
function agreedDetails(
  agreed: JsonValue | undefined,
  { authorization_details: asked }: AuthorizationRequest,
  { detailTypes, consentText = 'null' }: DetailCircumstances,
): AuthorizationDetails | undefined {
  const place = 'consent.authorization_details';
  if (asked === undefined) {
    if (agreed === undefined) return undefined;
    throw wrong(place, 'must be absent, as it is in the request');
  }
  if (!Array.isArray(agreed))
    throw wrong(place, 'must be the list of what the end-user agreed to; it may be empty');
  if (agreed.length === 0) return undefined;
  try {
    requireKeptNumbers(consentText);
    const types = asked.map(({ type }) => type);
    return checkedDetails(detailTypes, types, agreed as readonly JsonValue[]);
  } catch (failure) {
    throw failure instanceof OAuthError ? wrong('consent:', failure.error_description) : failure;
  }
}

/** Returns the request without the scope values and claims that the end-user refused. */
export function agreedRequest(
  request: AuthorizationRequest,
  consent: ExternalConsent | undefined,
): AuthorizationRequest {
  if (consent === undefined) return request;
  const isAgreed = memberOf(consent.claims);
  const refused = new Set(requestedClaims(request).filter((name) => !isAgreed(name)));
  const kept = <Value>(claims: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(Object.entries(claims).filter(([name]) => !refused.has(name)));
  const { userinfo, id_token } = request.claims;
  const { authorization_details: _asked, ...others } = request;
  const { authorization_details } = consent;
  return {
    ...others,
    ...(authorization_details === undefined ? {} : { authorization_details }),
    scope: request.scope.filter(memberOf(consent.scope)),
    claims: { userinfo: kept(userinfo), id_token: kept(id_token) },
  };
}

function isWord(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && WORD.test(value);
}

function isWords(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every(isWord);
}

function isObject(value: JsonValue): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(member: string, problem: string): OAuthError {
  return new OAuthError('invalid_request', { error_description: `${member} ${problem}` });
}
