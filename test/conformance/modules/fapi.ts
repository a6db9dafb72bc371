import type { ConditionName } from '../conditions/library.ts';
import type { ConformanceModule } from '../module.ts';
import { fail, type Step, stop, warn } from '../step.ts';
import {
  afterChallenge,
  BAD_PROOF,
  NO_TLS,
  notRedeemed,
  P,
  proofs,
  refused,
  SP,
  succeeds,
} from './fapi-kinds.ts';
import { byCertificate, isMtls, OTHER_CERTIFICATES } from './fapi-mtls.ts';
import { FAPI_PAR_MODULES, FAPI_REQUEST_MODULES } from './fapi-requests.ts';
import {
  A_CLIENT,
  callback,
  edited,
  flow,
  isSigned,
  PUSH,
  PUSHED,
  request,
  SET_UP,
} from './fapi-sequences.ts';
import { FAPI_TOKEN_MODULES } from './fapi-tokens.ts';

const NORMAL: readonly ConformanceModule[] = [
  {
    name: `${P}discovery-end-point-verification`,
    steps: (variant) => [
      stop('GetDynamicServerConfiguration'),
      fail('CheckDiscEndpointIssuer', 'RFC8414-3.3'),
      fail('CheckDiscEndpointIssuerIsValidUrl', 'RFC8414-2'),
      fail('ValidateServerMetadataAgainstSchema', 'RFC8414-2'),
      fail('CheckDiscEndpointResponseTypeCodeSupported', `${SP}-5.3.2.2-1`),
      ...(isSigned(variant)
        ? [
            fail('CheckDiscEndpointResponseModesSupportedContainsJwt', 'JARM-2.3.4'),
            fail('CheckDiscEndpointAuthSignAlgValuesIsJsonArray', 'JARM-4'),
            fail('CheckDiscEndpointAuthEncryptAlgValuesIsJsonArray', 'JARM-4'),
            fail('CheckDiscEndpointAuthEncryptEncValuesIsJsonArray', 'JARM-4'),
          ]
        : []),
      fail('EnsureAuthorizationResponseIssParameterSupportedIsTrue', 'OAuth2-iss-3', `${SP}-5.3.2.2-7`),
      fail('CheckDiscEndpointPARSupported', 'PAR-5', `${SP}-5.3.2.2-2`),
      fail('CheckDiscRequirePushedAuthorizationRequestsIsABoolean', 'PAR-5'),
      fail('FAPI2CheckDiscEndpointRequestObjectSigningAlgValuesSupported', `${SP}-5.4-1`),
      fail('CheckDiscEndpointAuthorizationEndpoint'),
      fail('CheckDiscEndpointScopesSupportedContainsOpenId'),
      fail('CheckDiscEndpointSubjectTypesSupported', 'OIDCD-3'),
      fail('FAPI2CheckDpopSigningAlgValuesSupported', `${SP}-5.4-1`),
      fail('FAPI2CheckDiscEndpointIdTokenSigningAlgValuesSupported', `${SP}-5.4-1`),
      fail('FAPI2CheckTokenEndpointAuthMethodsSupported', `${SP}-5.3.2.1-6`),
      fail('FAPI2CheckDiscEndpointTokenEndpointAuthSigningAlgValuesSupported', `${SP}-5.4-1`),
      fail('CheckDiscEndpointTokenEndpoint', 'OIDCD-3'),
      fail('CheckJwksUri', 'OIDCD-3'),
      fail('EnsureServerConfigurationSupportsCodeChallengeMethodS256', `${SP}-5.3.2.2-5`),
      fail('CheckDiscEndpointScopesSupportedSyntax', 'RFC6749-3.3'),
      fail('CheckDiscEndpointLocalesSyntax', 'RFC8414-2'),
      warn('CheckDiscEndpointLocalesCanonicalCasing', 'RFC8414-2'),
    ],
  },
  {
    name: `${P}happy-flow`,
    notes: `a second client takes the same way, as in the suite; with certificates, its token and its request are then refused with that of the first client and with none, where the suite tries the token with that of the first; ${NO_TLS}`,
    steps: (variant) => [
      ...SET_UP,
      ...flow(variant),
      fail('DisallowAccessTokenInQuery', `${SP}-5.3.4-2`),
      ...(isMtls(variant) ? [stop('RememberFirstFapiClient')] : []),
      ...A_CLIENT,
      stop('SetScopeInClientConfigurationToOpenIdProfile'),
      ...flow(variant, {
        skip: ['BuildRequestObjectByReferenceRedirectToAuthorizationEndpoint'],
        after: {
          EnsureMinimumRequestUriEntropy: [
            stop('BuildRequestObjectByReferenceRedirectToAuthorizationEndpointWithoutDuplicates', 'PAR-4'),
          ],
        },
      }),
      ...(isMtls(variant) ? OTHER_CERTIFICATES : []),
    ],
  },
  {
    name: `${P}user-rejects-authentication`,
    steps: (variant) => [
      ...SET_UP,
      ...request(variant),
      ...PUSH,
      ...PUSHED,
      stop('BuildRequestObjectByReferenceRedirectToAuthorizationEndpoint', 'PAR-4'),
      stop('PerformRedirectAndReject'),
      stop('ExpectCallback'),
      ...callback(variant),
      fail('CheckStateInAuthorizationResponse'),
      fail('EnsureErrorFromAuthorizationEndpointResponse', 'OIDCC-3.1.2.6'),
      fail('EnsureAccessDeniedErrorFromAuthorizationEndpointResponse', 'OIDCC-3.1.2.6'),
    ],
  },
  {
    name: `${P}ensure-authorization-request-without-state-success`,
    steps: (variant) => [
      ...SET_UP,
      ...edited(flow(variant), {
        skip: ['AddStateToAuthorizationEndpointRequest', 'CheckStateInAuthorizationResponse'],
        after: { CheckIfAuthorizationEndpointError: [fail('VerifyNoStateInAuthorizationResponse')] },
      }),
    ],
  },
  succeeds('ensure-authorization-request-without-nonce-success', () => ({
    skip: ['AddNonceToAuthorizationEndpointRequest', 'ValidateIdTokenNonce'],
  })),
  succeeds('ensure-authorization-request-with-64-char-nonce-success', () =>
    afterChallenge(stop('Set64CharNonce', `${SP}-5.3.2.2-14`)),
  ),
  succeeds('ensure-other-scope-order-succeeds', () =>
    afterChallenge(stop('ReverseScopeOrderInAuthorizationEndpointRequest', 'RFC6749-3.3')),
  ),
  succeeds('access-token-type-header-case-sensitivity', () => ({
    skip: ['CallProtectedResourceWithDpop'],
    after: {
      CreateDpopProofForResourceEndpoint: [stop('SignDpopProof'), stop('SetAccessTokenTypeToInvertedCase')],
    },
  })),
  succeeds('ensure-authorization-request-with-long-nonce', () => afterChallenge(stop('SetLongNonce'))),
  succeeds('ensure-authorization-request-with-long-state', () => afterChallenge(stop('SetLongState'))),
  succeeds('par-without-duplicate-parameters', () => ({
    skip: ['BuildRequestObjectByReferenceRedirectToAuthorizationEndpoint'],
    after: {
      EnsureMinimumRequestUriEntropy: [
        stop('BuildRequestObjectByReferenceRedirectToAuthorizationEndpointWithoutDuplicates', 'PAR-4'),
      ],
    },
  })),
];

const DPOP: readonly ConformanceModule[] = [
  succeeds('check-dpop-proof-nbf-exp', () => proofs('SetDpopNbfToNow', 'SetDpopExpToFiveMinutesInFuture')),
  succeeds('ensure-dpopproof-with-iat-10seconds-before-succeeds', () =>
    proofs('SetDpopIatTo10SecondsInPast'),
  ),
  succeeds('ensure-dpopproof-with-iat-10seconds-after-succeeds', () =>
    proofs('SetDpopIatTo8SecondsInFuture'),
  ),
  refused(
    'ensure-mismatched-dpop-jkt-fails',
    () => ({
      after: {
        AddCodeChallengeToAuthorizationEndpointRequest: [
          stop('AddInvalidDpopJktToAuthorizationEndpointRequest'),
        ],
        AddClientAssertionToPAREndpointParameters: [
          stop('CreateDpopProofForParEndpoint'),
          stop('SignDpopProof'),
        ],
      },
    }),
    fail('EnsurePARInvalidRequestOrInvalidDpopProof', 'DPOP-10.1'),
  ),
  notRedeemed('ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt', {}, BAD_PROOF, {
    after: {
      AddClientAssertionToPAREndpointParameters: [
        stop('CreateDpopProofForParEndpoint'),
        stop('SignDpopProof'),
      ],
      EnsureMinimumAuthorizationCodeEntropy: [stop('GenerateDpopKey')],
    },
  }),
  notRedeemed(
    'ensure-token-endpoint-fails-with-mismatched-dpop-jkt',
    {},
    BAD_PROOF,
    afterChallenge(stop('AddInvalidDpopJktToAuthorizationEndpointRequest')),
  ),
  succeeds('ensure-dpopproof-at-par-endpoint-binding-success', () => ({
    after: {
      AddClientAssertionToPAREndpointParameters: [
        stop('CreateDpopProofForParEndpoint'),
        stop('SignDpopProof'),
      ],
    },
  })),
  succeeds('ensure-dpop-auth-code-binding-success', () =>
    afterChallenge(stop('AddDpopJktToAuthorizationEndpointRequest')),
  ),
];

/** Proofs that the resource must refuse, or take, with the steps that change them. */
const PROOFS: readonly (readonly [
  holds: boolean,
  changes: readonly ConditionName[],
  sign?: ConditionName,
])[] = [
  [false, [], 'MultipleProofs'],
  [false, [], 'NotWellformedDPoP'],
  [false, ['RemoveTypFromDpopProof']],
  [false, [], 'SignDpopAndRemoveAlg'],
  [false, ['RemoveJwkFromDpopProof']],
  [false, ['RemoveJtiFromDpopProof']],
  [false, ['RemoveHtmFromDpopProof']],
  [false, ['RemoveHtuFromDpopProof']],
  [false, ['RemoveIatFromDpopProof']],
  [false, ['RemoveAthFromDpopProof']],
  [false, ['SetDpopHeaderTypToInvalidValue']],
  [false, [], 'SignDpopProofWithRS256'],
  [false, [], 'SignDpopProofWithNone'],
  [false, [], 'InvalidateDpopProofSignature'],
  [false, ['SetDpopHeaderJwkToPrivateKey']],
  [false, ['SetDpopHtmToPut']],
  [true, ['AddQueryAndFragmentToDpopHtu']],
  [false, ['SetDpopHtuToDifferentUrl']],
  [false, ['SetDpopIatToOneHourInFuture']],
  [false, ['SetDpopIatToOneHourInPast']],
  [true, ['FixedJtiClaim']],
  [false, ['FixedJtiClaim']],
  [false, ['SetDpopAccessTokenHashToIncorrectValue']],
  [false, [], 'SignDpopProofWithAnotherKey'],
  [true, ['AddExtraClaimsToHeader', 'AddExtraClaimsToClaims']],
  [true, ['DpopHtuUpperCase']],
  [false, [], 'RemoveDpopFromResourceRequest'],
];

const resourceCalls: readonly Step[] = PROOFS.flatMap(([holds, changes, sign]) => [
  stop('CreateDpopProofForResourceEndpoint'),
  ...changes.map((each) => stop(each)),
  stop('SignDpopProof'),
  ...(sign === undefined ? [] : [stop(sign)]),
  stop('CallProtectedResourceWithDpop', `${SP}-5.3.4-2`),
  fail(holds ? 'EnsureHttpStatusCodeIs200or201' : 'EnsureResourceStatusCodeIs400or401', 'DPOP-7.1'),
]);

const NEGATIVE_PROOFS: ConformanceModule = {
  name: `${P}dpop-negative-tests`,
  notes: 'one resource, UserInfo',
  steps: (variant) => [
    ...SET_UP,
    ...flow(variant),
    ...resourceCalls,
    stop('CallProtectedResourceForceBearer', 'DPOP-7.1'),
    fail('EnsureResourceStatusCodeIs400or401', 'DPOP-7.1'),
  ],
};

/** For requests in clear and for signed ones. */
export const FAPI_MODULES: readonly ConformanceModule[] = [
  ...NORMAL,
  ...DPOP,
  NEGATIVE_PROOFS,
  ...FAPI_REQUEST_MODULES,
  ...FAPI_PAR_MODULES,
  ...FAPI_TOKEN_MODULES,
].map(byCertificate);
