import type { ConditionName } from '../conditions/library.ts';
import { SERVER_KEYS, TOKEN_ERROR } from '../sequences.ts';
import { fail, info, type Step, stop, warn } from '../step.ts';
import type { Variant } from '../world.ts';

/** Steps that the FAPI 2.0 modules share (`AbstractFAPI2SPFinalServerTestModule` of the suite). */

const SP = 'FAPI2-SP-FINAL';

export const isSigned = ({ fapi_request_method: method }: Variant): boolean =>
  method === 'signed_non_repudiation';

/** How a module differs from the usual steps, by the names of their conditions. */
export interface Edits {
  readonly skip?: readonly ConditionName[];
  readonly after?: Readonly<Partial<Record<ConditionName, readonly Step[]>>>;
}

export function edited(steps: readonly Step[], { skip = [], after = {} }: Edits): readonly Step[] {
  return steps
    .filter(({ condition }) => !skip.includes(condition))
    .flatMap((step) => [step, ...(after[step.condition] ?? [])]);
}

export const A_CLIENT: readonly Step[] = [
  stop('RegisterFapiClient'),
  stop('CheckForKeyIdInClientJWKs', 'OIDCC-10.1'),
  fail('CheckDistinctKeyIdValueInClientJWKs', 'RFC7517-4.5'),
  fail('FAPI2FinalEnsureMinimumClientKeyLength', `${SP}-5.4.1-2`, `${SP}-5.4.1-3`),
];

export const SET_UP: readonly Step[] = [
  stop('CreateRedirectUri'),
  stop('GetDynamicServerConfiguration'),
  stop('CheckServerConfiguration'),
  ...SERVER_KEYS,
  fail('FAPI2FinalEnsureMinimumServerKeyLength', `${SP}-5.4.1-2`, `${SP}-5.4.1-3`),
  ...A_CLIENT,
  stop('SetScopeInClientConfigurationToOpenIdProfile'),
  stop('SetProtectedResourceUrlToUserInfoEndpoint'),
];

/** The authorisation request, and the request object where it is signed. */
export function request(variant: Variant): readonly Step[] {
  return [
    stop('CreateAuthorizationEndpointRequestFromClientInformation'),
    stop('CreateRandomStateValue'),
    stop('AddStateToAuthorizationEndpointRequest'),
    stop('CreateRandomNonceValue'),
    stop('AddNonceToAuthorizationEndpointRequest'),
    stop('SetAuthorizationEndpointRequestResponseTypeToCode'),
    ...(isSigned(variant) ? [stop('SetAuthorizationEndpointRequestResponseModeToJWT')] : []),
    stop('CreateRandomCodeVerifier', 'RFC7636-4.1'),
    stop('CreateS256CodeChallenge'),
    stop('AddCodeChallengeToAuthorizationEndpointRequest'),
    ...(isSigned(variant) ? OBJECT : [stop('BuildUnsignedPAREndpointRequest')]),
  ];
}

const OBJECT: readonly Step[] = [
  stop('ConvertAuthorizationEndpointRequestToRequestObject'),
  stop('AddIatToRequestObject'),
  stop('AddNbfToRequestObject', 'FAPI2-MS-ID1-5.3.1-3'),
  stop('AddExpToRequestObject', 'FAPI2-MS-ID1-5.3.1-4'),
  stop('AddAudToRequestObject', `${SP}-5.3.2.1-6`),
  stop('AddIssToRequestObject', 'OIDCC-6.1'),
  stop('AddClientIdToRequestObject', 'JAR-5', 'FAPI2-MS-ID1-5.3.2-1'),
  stop('SignRequestObjectIncludeMediaType', 'JAR-4'),
  stop('BuildRequestObjectPostToPAREndpoint'),
];

/** Sends the request to the PAR endpoint, with an assertion. */
export const PUSH: readonly Step[] = [
  stop('CreateClientAuthenticationAssertionClaimsWithIssAudience'),
  stop('SignClientAuthenticationAssertion'),
  stop('AddClientAssertionToPAREndpointParameters'),
  stop('CallPAREndpointWithClientAuthentication', 'PAR-2.1'),
];

export const PUSHED: readonly Step[] = [
  stop('CheckPAREndpointResponse201WithNoError', 'PAR-2.2', 'PAR-2.3'),
  stop('CheckForRequestUriValue', 'PAR-2.2'),
  fail('CheckForPARResponseExpiresIn', 'PAR-2.2'),
  fail('FAPI2EnsureExpiresInOfPARBelow600', `${SP}-5.3.2.2-12`),
  fail('EnsurePARContentTypeJson'),
  stop('RememberRequestUriFromPARResponse'),
  fail('EnsureMinimumRequestUriEntropy', 'PAR-2.2', 'PAR-7.1', 'JAR-10.2'),
];

/** The suite sends the parameters of OAuth beside the reference too, unless a module says otherwise. */
const REDIRECT: readonly Step[] = [
  stop('BuildRequestObjectByReferenceRedirectToAuthorizationEndpoint', 'PAR-4'),
  stop('PerformRedirect'),
  stop('ExpectCallback'),
];

/** Reads the response: signed, or in the query. */
export function callback(variant: Variant): readonly Step[] {
  const plain = [
    fail('RejectErrorInUrlFragment', 'OAuth2-RT-5'),
    fail('RejectAuthCodeInUrlFragment', 'OIDCC-3.3.2.5'),
  ];
  if (!isSigned(variant)) return plain;
  return [
    ...plain,
    fail('RejectNonJarmResponsesInUrlQuery', 'JARM-2.1'),
    stop('ExtractAuthorizationEndpointResponseFromJARMResponse', 'JARM-2.3.4'),
    fail('ValidateJARMResponse', 'JARM-2.4-2', 'JARM-2.4-3', 'JARM-2.4-4'),
    fail('FAPI2ValidateJarmSigningAlg'),
    warn('ValidateJARMExpRecommendations', 'JARM-2.1'),
  ];
}

export function answered(variant: Variant): readonly Step[] {
  return [
    ...callback(variant),
    fail('CheckMatchingCallbackParameters'),
    fail('RejectStateInUrlFragmentForCodeFlow', 'OIDCC-3.3.2.5'),
    stop('CheckIfAuthorizationEndpointError'),
    fail('CheckStateInAuthorizationResponse', 'OIDCC-3.2.2.5'),
    fail('RequireIssInAuthorizationResponse', 'OAuth2-iss-2', `${SP}-5.3.2.2-7`),
    stop('ExtractAuthorizationCodeFromAuthorizationResponse'),
    fail('EnsureMinimumAuthorizationCodeLength', 'RFC6749-10.10'),
    fail('EnsureMinimumAuthorizationCodeEntropy', 'RFC6749-10.10'),
  ];
}

/** The token request, with its proof. */
export const REDEEM: readonly Step[] = [
  stop('CreateTokenEndpointRequestForAuthorizationCodeGrant'),
  stop('AddCodeVerifierToTokenEndpointRequest', 'RFC7636-4.5', `${SP}-5.3.3.2-3`),
  ...tokenCall(),
];

export function tokenCall(): readonly Step[] {
  return [
    stop('CreateClientAuthenticationAssertionClaimsWithIssAudience'),
    stop('SignClientAuthenticationAssertion'),
    stop('AddClientAssertionToRequest'),
    stop('CreateDpopProofForTokenEndpoint'),
    stop('SignDpopProof'),
    stop('AddDpopHeaderForTokenEndpointRequest'),
    stop('CallTokenEndpointAndReturnFullResponse'),
  ];
}

const TOKENS: readonly Step[] = [
  stop('CheckTokenEndpointHttpStatus200'),
  stop('CheckIfTokenEndpointResponseError'),
  stop('CheckForAccessTokenValue', 'RFC6749-4.1.4'),
  stop('ExtractAccessTokenFromTokenResponse'),
  fail('CheckTokenTypeIsDpop', 'DPOP-5'),
  warn('ExtractExpiresInFromTokenEndpointResponse', 'RFC6749-5.1'),
  fail('ValidateExpiresIn', 'RFC6749-5.1'),
  info('CheckForRefreshTokenValue'),
  fail('EnsureMinimumAccessTokenLength', `${SP}-5.4.1-4`),
  fail('EnsureMinimumAccessTokenEntropy', `${SP}-5.4.1-4`),
];
export const TOKENS_ISSUED: readonly Step[] = TOKENS;

const ID_TOKEN: readonly Step[] = [
  stop('ExtractIdTokenFromTokenResponse', `${SP}-5.3.2.3`, 'OIDCC-3.3.2.5'),
  fail('ValidateIdToken', 'OIDCC-3.1.3.7'),
  fail('ValidateIdTokenNonce', 'OIDCC-2'),
  fail('ValidateIdTokenSignature'),
  fail('EnsureIdTokenContainsKid', 'OIDCC-10.1'),
  fail('FAPI2ValidateIdTokenSigningAlg', `${SP}-5.4-1`),
];

/** A request to the resource, with a proof. */
export const RESOURCE: readonly Step[] = [
  stop('CreateDpopProofForResourceEndpoint'),
  stop('SignDpopProof'),
  stop('CallProtectedResourceWithDpop', `${SP}-5.3.4-2`),
  fail('EnsureHttpStatusCodeIs200or201'),
  fail('CheckForDateHeaderInResourceResponse', 'RFC7231-7.1.1.2'),
];

/** From the request to its signed or plain answer. */
export function authorized(variant: Variant, edits: Edits = {}): readonly Step[] {
  return edited([...request(variant), ...PUSH, ...PUSHED, ...REDIRECT, ...answered(variant)], edits);
}

/** A whole flow that must succeed. */
export function flow(variant: Variant, edits: Edits = {}): readonly Step[] {
  return [...authorized(variant, edits), ...edited([...REDEEM, ...TOKENS, ...ID_TOKEN, ...RESOURCE], edits)];
}

/** A request that the PAR endpoint must refuse. */
export function refusedAtPar(variant: Variant, edits: Edits, error: readonly Step[]): readonly Step[] {
  return [...SET_UP, ...edited([...request(variant), ...PUSH], edits), ...error];
}

/** The rules for every error of the token endpoint, and one of the codes. */
export const tokenRefused = (...more: readonly Step[]): readonly Step[] => [...more, ...TOKEN_ERROR];
