import type { ConformanceModule } from '../module.ts';
import { fail, type Step, stop, warn } from '../step.ts';
import { assertion, BAD_PROOF, INVALID_CLIENT, INVALID_GRANT, notRedeemed, P, SP } from './fapi-kinds.ts';
import { isMtls } from './fapi-mtls.ts';
import {
  A_CLIENT,
  authorized,
  edited,
  flow,
  REDEEM,
  RESOURCE,
  SET_UP,
  TOKENS_ISSUED,
  tokenCall,
  tokenRefused,
} from './fapi-sequences.ts';

const AGAIN: readonly Step[] = [
  stop('WaitForOneSecond'),
  ...REDEEM,
  fail('ServerAllowedReusingAuthorizationCodeOfFapi', `${SP}-5.3.2.2-9`),
  ...INVALID_GRANT,
];

/** Modules about the token endpoint. */
export const FAPI_TOKEN_MODULES: readonly ConformanceModule[] = [
  {
    name: `${P}attempt-reuse-authorization-code-after-one-second`,
    steps: (variant) => [
      ...SET_UP,
      ...flow(variant),
      ...AGAIN,
      stop('CreateDpopProofForResourceEndpoint'),
      stop('SignDpopProof'),
      stop('CallProtectedResourceWithDpop', 'RFC6749-4.1.2'),
      warn('EnsureHttpStatusCodeIs4xx', 'RFC6749-4.1.2', 'RFC6750-3.1'),
    ],
  },
  {
    name: `${P}ensure-token-endpoint-fails-with-expired-auth-code`,
    waits: true,
    steps: (variant) => [
      ...SET_UP,
      ...authorized(variant),
      stop('WaitFor62Seconds'),
      ...REDEEM,
      fail('ServerAllowedExpiredAuthorizationCode', `${SP}-5.3.2.1-11`),
      ...INVALID_GRANT,
    ],
  },
  {
    name: `${P}ensure-authorization-code-is-bound-to-client`,
    steps: (variant) => [...SET_UP, ...authorized(variant), ...A_CLIENT, ...REDEEM, ...INVALID_GRANT],
  },
  {
    name: `${P}ensure-client-id-in-token-endpoint`,
    notes:
      'the suite sends the client_id of the second client beside the assertion of the first, or with its certificate',
    steps: (variant) => [
      ...SET_UP,
      ...authorized(variant),
      stop('RememberFirstFapiClient'),
      ...A_CLIENT,
      stop('CreateTokenEndpointRequestForAuthorizationCodeGrant'),
      stop('AddCodeVerifierToTokenEndpointRequest'),
      stop('AddClientIdToRequest', 'RFC6749-5.2'),
      stop('SwitchToFirstFapiClient'),
      ...edited(tokenCall(), isMtls(variant) ? { skip: ['AddClientAssertionToRequest'] } : {}),
      ...tokenRefused(
        fail('CheckTokenEndpointHttpStatusIs400Allowing401ForInvalidClientError', 'RFC6749-5.2'),
        fail('CheckErrorFromTokenEndpointResponseErrorInvalidClientOrInvalidGrant', 'RFC6749-5.2'),
      ),
    ],
  },
  {
    name: `${P}ensure-holder-of-key-required`,
    notes:
      'a connection that ends without an answer, which the suite accepts from a provider that asks for certificates, fails here',
    steps: (variant) => [
      ...SET_UP,
      ...authorized(variant),
      ...(isMtls(variant)
        ? [stop('RemoveMTLSCertificates'), ...REDEEM, ...INVALID_CLIENT]
        : [...edited(REDEEM, { skip: ['AddDpopHeaderForTokenEndpointRequest'] }), ...BAD_PROOF]),
    ],
  },
  notRedeemed(
    'ensure-client-assertion-in-token-endpoint',
    {
      skip: ['AddClientAssertionToRequest'],
      after: { SignClientAuthenticationAssertion: [stop('AddClientIdToRequest')] },
    },
    INVALID_CLIENT,
  ),
  notRedeemed(
    'ensure-signed-client-assertion-with-RS256-fails',
    {
      after: {
        SignClientAuthenticationAssertion: [stop('SignClientAuthenticationAssertionWithRS256', `${SP}-5.4`)],
      },
    },
    tokenRefused(
      fail('CheckTokenEndpointHttpStatusIs400Allowing401ForInvalidClientError', 'RFC6749-5.2'),
      fail('CheckErrorFromTokenEndpointResponseErrorInvalidClient', 'RFC6749-5.2'),
    ),
  ),
  ...(
    [
      ['exp-is-5-minutes-in-past', 'AddExpIs5MinutesInPastToClientAssertionClaims'],
      ['wrong-aud', 'AddWrongAudToClientAssertionClaims'],
      ['no-sub', 'RemoveSubFromClientAssertionClaims'],
    ] as const
  ).map(([what, condition]) =>
    notRedeemed(`ensure-client-assertion-with-${what}-fails`, assertion(condition), INVALID_CLIENT),
  ),
  notRedeemed(
    'ensure-pkce-code-verifier-required',
    { skip: ['AddCodeVerifierToTokenEndpointRequest'] },
    INVALID_GRANT,
  ),
  notRedeemed('incorrect-pkce-code-verifier-rejected', {}, INVALID_GRANT, {
    after: { EnsureMinimumAuthorizationCodeEntropy: [stop('CreateRandomCodeVerifier', 'RFC7636-4.1')] },
  }),
  {
    name: `${P}refresh-token`,
    notes: 'the second client refreshes with the token of the first, as in the suite',
    steps: (variant) => [
      ...SET_UP,
      ...flow(variant),
      stop('ExtractRefreshTokenFromTokenResponse'),
      fail('EnsureRefreshTokenContainsAllowedCharactersOnly', 'RFC6749-A.17'),
      stop('RememberFirstTokens'),
      stop('CreateRefreshTokenRequest'),
      ...tokenCall(),
      ...TOKENS_ISSUED,
      fail('EnsureAccessTokenValuesAreDifferent'),
      fail('EnsureRefreshTokenHasNotRotated', `${SP}-5.3.2.1-9`),
      ...RESOURCE,
      ...(isMtls(variant)
        ? [
            stop('RemoveMTLSCertificates'),
            stop('CreateRefreshTokenRequest'),
            ...tokenCall(),
            ...INVALID_CLIENT,
          ]
        : []),
      ...A_CLIENT,
      stop('CreateRefreshTokenRequest'),
      ...tokenCall(),
      ...INVALID_GRANT,
    ],
  },
];
