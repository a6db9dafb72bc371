import { calledBack, onPage } from '../conditions/authorization-response.ts';
import type { ConformanceModule } from '../module.ts';
import { fail, stop, warn, where } from '../step.ts';
import { afterChallenge, assertion, built, INVALID_OBJECT, P, refused, SP, succeeds } from './fapi-kinds.ts';
import {
  A_CLIENT,
  answered,
  callback,
  edited,
  flow,
  isSigned,
  PUSH,
  PUSHED,
  request,
  SET_UP,
} from './fapi-sequences.ts';

/** Modules about the authorisation request, signed or not. */
export const FAPI_REQUEST_MODULES: readonly ConformanceModule[] = [
  {
    name: `${P}state-only-outside-request-object-not-used`,
    notes: 'for unsigned requests, the parameter is beside the reference',
    steps: (variant) => [
      ...SET_UP,
      ...edited(flow(variant), {
        skip: ['AddStateToAuthorizationEndpointRequest', 'CheckStateInAuthorizationResponse'],
        after: {
          ...(isSigned(variant)
            ? { BuildRequestObjectPostToPAREndpoint: [stop('AddStateToParEndpointParameters')] }
            : {}),
          CheckIfAuthorizationEndpointError: [fail('VerifyNoStateInAuthorizationResponse')],
        },
      }),
    ],
  },
  refused(
    'ensure-request-object-without-redirect-uri-fails',
    (variant) =>
      isSigned(variant)
        ? { after: { AddClientIdToRequestObject: [stop('RemoveRedirectUriFromRequestObject')] } }
        : afterChallenge(stop('RemoveRedirectUriFromAuthorizationEndpointRequest')),
    fail('EnsurePARInvalidRequestOrInvalidRequestObjectError', 'JAR-6.2'),
  ),
  refused(
    'ensure-redirect-uri-in-authorization-request',
    () => afterChallenge(stop('RemoveRedirectUriFromAuthorizationEndpointRequest', `${SP}-5.3.2.2-6`)),
    fail('EnsurePARInvalidRequestOrInvalidRequestObjectError', 'PAR-2.3'),
  ),
  refused(
    'ensure-registered-redirect-uri',
    () => afterChallenge(stop('AddInvalidRedirectUriToAuthorizationRequest')),
    fail('EnsurePARInvalidRequestOrInvalidRequestObjectError', 'PAR-2.3'),
  ),
  ...(['CodeIdtoken', 'Token'] as const).map((type) =>
    refused(
      `ensure-response-type-${type === 'Token' ? 'token' : 'code-idtoken'}-fails`,
      () => afterChallenge(stop(`SetAuthorizationEndpointRequestResponseTypeTo${type}`, `${SP}-5.3.2.2-1`)),
      warn('EnsurePARUnsupportedResponseTypeOrInvalidRequestOrUnauthorizedClientError', 'PAR-2.3'),
    ),
  ),
  refused(
    'par-ensure-pkce-required',
    () => ({ skip: ['AddCodeChallengeToAuthorizationEndpointRequest'] }),
    fail('EnsurePARInvalidRequestError', 'RFC7636-4.4.1'),
  ),
  refused(
    'par-plain-pkce-rejected',
    () => afterChallenge(stop('CreatePlainCodeChallenge')),
    fail('EnsurePARInvalidRequestError', 'RFC7636-4.4.1'),
  ),
  refused(
    'par-authorization-request-containing-request_uri-form-param',
    () => ({
      after: { AddClientAssertionToPAREndpointParameters: [stop('AddBadRequestUriToRequestParameters')] },
    }),
    fail('EnsurePARInvalidRequestOrInvalidRequestObjectOrRequestUriNotSupportedError', 'PAR-2.1-2'),
  ),
  {
    name: `${P}par-attempt-invalid-http-method`,
    steps: (variant) => [
      ...SET_UP,
      ...edited([...request(variant), ...PUSH], {
        skip: ['CallPAREndpointWithClientAuthentication'],
        after: { AddClientAssertionToPAREndpointParameters: [stop('CallPAREndpointByPut')] },
      }),
      fail('EnsureParHTTPError', 'PAR-2.3'),
    ],
  },
  {
    name: `${P}ensure-unsigned-authorization-request-without-using-par-fails`,
    review: 'an error page: status 4xx',
    steps: (variant) => [
      ...SET_UP,
      ...request(variant),
      stop('BuildPlainRedirectToAuthorizationEndpoint'),
      stop('PerformRedirect'),
      ...where(onPage, [stop('ExpectAuthorizationRequestWithoutRequestObjectErrorPage')]),
      ...where(calledBack, [
        ...callback(variant),
        fail('CheckStateInAuthorizationResponse'),
        fail('EnsureErrorFromAuthorizationEndpointResponse', 'OIDCC-3.1.2.6'),
        fail('EnsureInvalidRequestError', 'OIDCC-3.3.2.6'),
      ]),
    ],
  },
];

/** Modules about request objects, which only the plan with signed requests has. */
export const FAPI_OBJECT_MODULES: readonly ConformanceModule[] = [
  succeeds('ensure-request-object-with-multiple-aud-succeeds', () => ({
    after: { AddAudToRequestObject: [stop('AddMultipleAudToRequestObject', 'RFC7519-4.1.3')] },
  })),
  succeeds('ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted', () => ({
    after: { AddNbfToRequestObject: [stop('AddNbfValueIs8SecondsInFutureToRequestObject')] },
  })),
  ...(
    [
      ['without-exp', 'RemoveExpFromFapiRequestObject'],
      ['without-nbf', 'RemoveNbfFromRequestObject'],
      ['with-bad-aud', 'AddBadAudToRequestObject'],
      ['with-exp-over-60', 'AddExpValueIs70MinutesInFutureToRequestObject'],
      ['with-nbf-over-60', 'AddNbfValueIs70MinutesInPastToRequestObject'],
    ] as const
  ).map(([what, condition]) =>
    refused(
      `ensure-request-object-${what}-fails`,
      (variant) => ({ after: { [built(variant)]: [stop(condition)] } }),
      INVALID_OBJECT,
    ),
  ),
  refused(
    'ensure-expired-request-object-fails',
    () => ({ after: { AddExpToRequestObject: [stop('AddExpiredExpToRequestObject', 'RFC7519-4.1.4')] } }),
    INVALID_OBJECT,
  ),
  ...(
    [
      ['ensure-signed-request-object-with-RS256-fails', 'SignRequestObjectWithRS256'],
      [
        'ensure-request-object-signature-algorithm-is-not-none',
        'SerializeFapiRequestObjectWithNullAlgorithm',
      ],
      ['ensure-request-object-with-invalid-signature-fails', 'InvalidateFapiRequestObjectSignature'],
      ['ensure-matching-key-in-authorization-request', 'SignRequestObjectWithTheKeyOfAnotherClient'],
    ] as const
  ).map(([name, condition]) =>
    refused(
      name,
      () => ({ after: { SignRequestObjectIncludeMediaType: [stop(condition)] } }),
      INVALID_OBJECT,
    ),
  ),
  refused(
    'ensure-unsigned-request-at-par-endpoint-fails',
    () => ({ after: { BuildRequestObjectPostToPAREndpoint: [stop('BuildUnsignedPAREndpointRequest')] } }),
    fail('EnsurePARInvalidRequestError', 'PAR-2.3'),
  ),
  refused(
    'par-authorization-request-containing-request_uri',
    () => ({
      after: { AddClientIdToRequestObject: [stop('AddBadRequestUriToAuthorizationRequest', 'PAR-2')] },
    }),
    INVALID_OBJECT,
  ),
];

/** Modules about the endpoint that requests are pushed to. */
export const FAPI_PAR_MODULES: readonly ConformanceModule[] = [
  ...(
    [
      [
        'par-test-array-as-audience-fails',
        'AddArrayContainingIssuerAndAnotherValueAsAudToClientAuthenticationAssertionClaims',
      ],
      [
        'par-test-par-endpoint-url-as-audience-fails',
        'AddPAREndpointAsAudToClientAuthenticationAssertionClaims',
      ],
      [
        'par-test-token-endpoint-url-as-audience-fails',
        'AddTokenEndpointAsAudToClientAuthenticationAssertionClaims',
      ],
      [
        'par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails',
        'AddIatNbfExpOver60SecondsInTheFutureToClientAuthenticationAssertionClaims',
      ],
    ] as const
  ).map(([name, condition]) =>
    refused(
      name,
      () => assertion(condition),
      fail('CheckErrorFromParEndpointResponseErrorInvalidClientOrInvalidRequest', `${SP}-5.3.2.1-8`),
    ),
  ),
  {
    name: `${P}par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted`,
    steps: (variant) => [
      ...SET_UP,
      ...edited(
        [...request(variant), ...PUSH],
        assertion('AddIatNbf8SecondsInTheFutureToClientAuthenticationAssertionClaims'),
      ),
      warn('CheckPAREndpointResponse201WithNoError', 'PAR-2.2', 'PAR-2.3'),
    ],
  },
  {
    name: `${P}par-attempt-to-use-request_uri-for-different-client`,
    review: 'an error page: status 4xx',
    steps: (variant) => [
      ...SET_UP,
      ...request(variant),
      ...PUSH,
      ...PUSHED,
      ...A_CLIENT,
      stop('BuildRequestObjectByReferenceRedirectToAuthorizationEndpointWithoutDuplicates', 'PAR-3-3'),
      stop('PerformRedirect'),
      ...where(onPage, [stop('ExpectInvalidRequestUriErrorPage', 'PAR-3-3')]),
      ...where(calledBack, [...callback(variant), fail('EnsureInvalidRequestUriError', 'PAR-3-3')]),
    ],
  },
  {
    name: `${P}par-attempt-reuse-request_uri`,
    review: 'an error page: status 4xx',
    steps: (variant) => [
      ...SET_UP,
      ...flow(variant),
      stop('BuildRequestObjectByReferenceRedirectToAuthorizationEndpointWithoutDuplicates', 'PAR-4'),
      stop('PerformRedirect'),
      ...where(onPage, [stop('ExpectInvalidRequestUriErrorPage', 'PAR-7.3', 'PAR-4', 'PAR-2.2')]),
      ...where(calledBack, [...callback(variant), fail('EnsureInvalidRequestUriError', 'PAR-2.2', 'JAR-7')]),
    ],
  },
  {
    name: `${P}par-ensure-reused-request-uri-prior-to-auth-completion-succeeds`,
    steps: (variant) => [
      ...SET_UP,
      ...request(variant),
      ...PUSH,
      ...PUSHED,
      stop('BuildRequestObjectByReferenceRedirectToAuthorizationEndpointWithoutDuplicates', 'PAR-4'),
      stop('OpenRedirectWithoutSigningIn'),
      stop('PerformRedirect'),
      ...where(onPage, [warn('WarningAboutRequestUriError', `${SP}-5.3.2.2`)]),
      ...where(calledBack, answered(variant)),
    ],
  },
  {
    name: `${P}par-attempt-to-use-expired-request_uri`,
    review: 'an error page: status 4xx',
    waits: true,
    steps: (variant) => [
      ...SET_UP,
      ...request(variant),
      ...PUSH,
      ...PUSHED,
      stop('WaitForExpiry'),
      stop('BuildRequestObjectByReferenceRedirectToAuthorizationEndpointWithoutDuplicates', 'PAR-4'),
      stop('PerformRedirect'),
      ...where(onPage, [stop('ExpectInvalidRequestUriErrorPage', 'PAR-2.2')]),
      ...where(calledBack, [...callback(variant), fail('EnsureInvalidRequestUriError', 'PAR-2.2')]),
    ],
  },
];
