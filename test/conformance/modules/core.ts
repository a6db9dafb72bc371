import type { ConformanceModule } from '../module.ts';
import {
  authorization,
  callback,
  clientAuthentication,
  either,
  GENERIC_ERROR,
  hasCode,
  hasIdToken,
  hasToken,
  isDynamic,
  request,
  STANDARD_ID_TOKEN_CHECKS,
  setUp,
  success,
  TOKEN_ERROR,
} from '../sequences.ts';
import { fail, info, type Step, steps, stop, warn, where } from '../step.ts';
import type { Variant, World } from '../world.ts';

const ERROR_PAGE = 'an error page: status 4xx, text/html, and no redirection';
const noIdTokenAtFront = (variant: Variant): boolean => !hasIdToken(variant);
const noCode = (variant: Variant): boolean => !hasCode(variant);

/** A module whose only peculiarity is a parameter of its request. */
function withParameter(name: string, ...add: readonly Step[]): ConformanceModule {
  return { name, steps: (variant) => [...setUp(variant), ...authorization(variant, { add })] };
}

const SERVER: ConformanceModule = {
  // proves openid-conformance-1, openid-conformance-10, rfc6749-10.10-1
  name: 'oidcc-server',
  steps: (variant) => [
    ...setUp(variant),
    ...authorization(
      variant,
      {},
      {
        idToken: [
          ...STANDARD_ID_TOKEN_CHECKS,
          warn('EnsureIdTokenDoesNotContainName', 'OIDCC-5.5', 'OIDCC-5.5.1'),
        ],
        frontIdToken: [
          hasToken(variant)
            ? fail('ExtractAtHash', 'OIDCC-3.3.2.11')
            : info('ExtractAtHash', 'OIDCC-3.3.2.11'),
          fail('ValidateAtHash', 'OIDCC-3.3.2.11'),
          hasCode(variant) ? fail('ExtractCHash', 'OIDCC-3.3.2.11') : info('ExtractCHash', 'OIDCC-3.3.2.11'),
          fail('ValidateCHash', 'OIDCC-3.3.2.11'),
        ],
        backIdToken: [
          warn('ExtractExpiresInFromTokenEndpointResponse', 'RFC6749-5.1'),
          info('ExtractAtHash', 'OIDCC-3.3.2.11', 'OIDCC-3.3.3.6'),
          fail('ValidateAtHash', 'OIDCC-3.3.2.11'),
          info('ExtractCHash', 'OIDCC-3.3.2.11', 'OIDCC-3.3.3.6'),
          fail('ValidateCHash', 'OIDCC-3.3.2.11'),
        ],
        code: [
          fail('EnsureMinimumAuthorizationCodeLength', 'RFC6749-10.10', 'RFC6819-5.1.4.2-2'),
          fail('EnsureMinimumAuthorizationCodeEntropy', 'RFC6749-10.10', 'RFC6819-5.1.4.2-2'),
        ],
      },
    ),
    warn('EnsureIdTokenDoesNotContainNonRequestedClaims'),
  ],
};

const SECRET_POST: ConformanceModule = {
  name: 'oidcc-server-client-secret-post',
  steps: (variant) => [
    ...setUp(variant, { staticClient: 'GetStaticClientForSecretPost' }),
    ...authorization(variant),
  ],
};

const RESPONSE_TYPE_MISSING: ConformanceModule = {
  name: 'oidcc-response-type-missing',
  review: ERROR_PAGE,
  steps: (variant) => [
    ...setUp(variant),
    ...either(
      request(variant, { omit: ['SetAuthorizationEndpointRequestResponseTypeFromEnvironment'] }),
      [stop('ExpectResponseTypeMissingErrorPage', 'RFC6749-3.1.1')],
      [
        ...callback(variant, true),
        ...GENERIC_ERROR,
        fail(
          'CheckErrorFromAuthorizationEndpointErrorInvalidRequestOrUnsupportedResponseType',
          'RFC6749-3.1.1',
        ),
      ],
    ),
  ],
};

const SIGNATURE: ConformanceModule = {
  // proves openid-conformance-9
  name: 'oidcc-idtoken-signature',
  notFor: (variant) => !isDynamic(variant),
  steps: (variant) => [
    ...setUp(variant),
    ...authorization(
      variant,
      {},
      {
        idToken: [
          fail('EnsureIdTokenContainsKid', 'OIDCC-10.1'),
          fail('EnsureIdTokenSignatureIsRS256', 'OIDCC-3.1.3.7'),
          ...STANDARD_ID_TOKEN_CHECKS,
        ],
      },
    ),
  ],
};

const UNSIGNED: ConformanceModule = {
  // proves openid-conformance-23
  name: 'oidcc-idtoken-unsigned',
  notFor: (variant) => !isDynamic(variant) || hasIdToken(variant),
  steps: (variant) => [
    ...setUp(variant, {
      unless: [info('OIDCCCheckIdTokenSigningAlgValuesSupportedAlgNone')],
      metadata: [stop('AddIdTokenSigningAlgNoneToDynamicRegistrationRequest')],
    }),
    ...authorization(variant, {}, { idToken: [fail('CheckIdTokenSignatureAlgorithm', 'OIDCC-3.1.3.7')] }),
  ],
};

const NONCE_FAILS: ConformanceModule = {
  // proves openid-conformance-16, openid-core-3.2.2.1-1
  name: 'oidcc-ensure-request-without-nonce-fails',
  notFor: noIdTokenAtFront,
  review: ERROR_PAGE,
  steps: (variant) => [
    ...setUp(variant),
    ...either(
      request(variant, { omit: ['AddNonceToAuthorizationEndpointRequest'] }),
      [stop('ExpectRequestMissingNonceErrorPage', 'OIDCC-3.2.2.1', 'OIDCC-3.3.2.11')],
      [
        ...callback(variant),
        ...GENERIC_ERROR,
        fail('CheckErrorFromAuthorizationEndpointErrorInvalidRequest', 'OIDCC-3.2.2.1', 'OIDCC-3.3.2.11'),
      ],
    ),
  ],
};

const NONCE_SUCCEEDS: ConformanceModule = {
  // proves openid-conformance-16
  name: 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
  notFor: hasIdToken,
  steps: (variant) => [
    ...setUp(variant),
    ...authorization(variant, { omit: ['AddNonceToAuthorizationEndpointRequest'] }, { noToken: true }),
  ],
};

const POST: ConformanceModule = {
  // proves openid-conformance-13, openid-core-3.1.2.1-1
  name: 'oidcc-ensure-post-request-succeeds',
  steps: (variant) => [
    ...setUp(variant),
    ...request(variant),
    stop('PerformRedirectByPost'),
    warn('ExpectRedirectUriHasBeenCalled', 'OIDCC-3.1.2.1'),
    stop('ExpectCallback'),
    ...success(variant),
  ],
};

const ACR_VALUES: ConformanceModule = {
  // proves openid-conformance-15, openid-core-13.3-1
  name: 'oidcc-ensure-request-with-acr-values-succeeds',
  steps: (variant) => [
    ...setUp(variant),
    ...authorization(
      variant,
      { add: [stop('OIDCCAddAcrValuesToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1')] },
      {
        idToken: [
          ...STANDARD_ID_TOKEN_CHECKS,
          warn('ValidateIdTokenACRClaimAgainstAcrValuesRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1'),
        ],
      },
    ),
  ],
};

const PKCE: ConformanceModule = {
  // proves openid-conformance-15
  name: 'oidcc-ensure-request-with-valid-pkce-succeeds',
  notFor: noCode,
  steps: (variant) => [
    ...setUp(variant),
    ...authorization(
      variant,
      {
        add: [
          stop('CreateRandomCodeVerifier', 'RFC7636-4.1'),
          stop('CreateS256CodeChallenge', 'RFC7636-4.2'),
          stop('AddCodeChallengeToAuthorizationEndpointRequest', 'RFC7636-4.3'),
        ],
      },
      { tokenRequest: [stop('AddCodeVerifierToTokenEndpointRequest', 'RFC7636-4.5')] },
    ),
  ],
};

const REGISTERED_REDIRECT_URI: ConformanceModule = {
  // proves openid-conformance-14, openid-core-3.1.2.1-2
  name: 'oidcc-ensure-registered-redirect-uri',
  review: ERROR_PAGE,
  steps: (variant) => [
    ...setUp(variant, { after: [stop('CreateBadRedirectUriByAppending')] }),
    ...request(variant),
    stop('PerformRedirect'),
    stop('ExpectNoCallback'),
    stop('ExpectRedirectUriErrorPage', 'OIDCC-3.1.2.1'),
  ],
};

/** The second use of a code, with another client assertion where the client has one. */
function secondUse(variant: Variant): readonly Step[] {
  return [
    ...steps(variant.client_auth_type === 'private_key_jwt', clientAuthentication(variant)),
    stop('CallTokenEndpointAndReturnFullResponse'),
  ];
}

const REUSE_CHECKS: readonly Step[] = [
  fail('CheckTokenEndpointHttpStatus400', 'OIDCC-3.1.3.4'),
  fail('CheckErrorFromTokenEndpointResponseErrorInvalidGrant', 'RFC6749-5.2'),
  ...TOKEN_ERROR,
];

const CODE_REUSE: ConformanceModule = {
  // proves openid-conformance-11
  name: 'oidcc-codereuse',
  notFor: noCode,
  steps: (variant) => {
    const accepted = ({ token }: World): boolean => token?.status === 200;
    return [
      ...setUp(variant),
      ...authorization(variant),
      ...secondUse(variant),
      ...where(accepted, [warn('ServerAllowedReusingAuthorizationCode')]),
      ...where((world) => !accepted(world), REUSE_CHECKS),
    ];
  },
};

const CODE_REUSE_LATER: ConformanceModule = {
  // proves openid-conformance-11
  name: 'oidcc-codereuse-30seconds',
  waits: true,
  notFor: noCode,
  steps: (variant) => [
    ...setUp(variant),
    ...authorization(variant),
    stop('WaitFor30Seconds'),
    ...secondUse(variant),
    ...REUSE_CHECKS,
    stop('CallProtectedResource', 'RFC6749-4.1.2'),
    warn('EnsureHttpStatusCodeIs4xx', 'RFC6749-4.1.2', 'RFC6750-3.1'),
  ],
};

export const CORE_MODULES: readonly ConformanceModule[] = [
  SERVER,
  SECRET_POST,
  RESPONSE_TYPE_MISSING,
  SIGNATURE,
  UNSIGNED,
  NONCE_FAILS,
  NONCE_SUCCEEDS,
  POST,
  ACR_VALUES,
  PKCE,
  REGISTERED_REDIRECT_URI,
  CODE_REUSE,
  CODE_REUSE_LATER,
  withParameter(
    'oidcc-display-page',
    stop('AddDisplayPageToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1'),
  ),
  withParameter(
    'oidcc-display-popup',
    stop('AddDisplayPopupToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1'),
  ),
  withParameter(
    'oidcc-login-hint',
    stop('AddLoginHintFromConfigurationToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1'),
  ),
  withParameter(
    'oidcc-ui-locales',
    stop('AddUiLocalesFromConfigurationToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1'),
  ),
  withParameter(
    'oidcc-claims-locales',
    stop('AddClaimsLocalesSeToAuthorizationEndpointRequest', 'OIDCC-5.2', 'OIDCC-15.1'),
  ),
  // proves openid-conformance-15, rfc6749-3.1-1
  withParameter(
    'oidcc-ensure-request-with-unknown-parameter-succeeds',
    stop('AddExtraFoobarToAuthorizationEndpointRequest', 'RFC6749-3.1'),
  ),
];
