import type { ConformanceModule } from '../module.ts';
import {
  type AnswerOptions,
  aClient,
  authorization,
  clientAuthentication,
  hasCode,
  isDynamic,
  PROTECTED_RESOURCE,
  type RequestOptions,
  setUp,
} from '../sequences.ts';
import { fail, info, type Step, steps, stop, warn, where } from '../step.ts';
import type { Variant, World } from '../world.ts';

const CONSENT = stop(
  'AddPromptConsentToAuthorizationEndpointRequestIfScopeContainsOfflineAccess',
  'OIDCC-11',
);
const GRANT = stop('AddRefreshTokenGrantTypeToDynamicRegistrationRequest');
const SCOPE: readonly Step[] = [
  stop('SetScopeInClientConfigurationToOpenId'),
  stop('SetScopeInClientConfigurationToOpenIdOfflineAccessIfServerSupportsOfflineAccess'),
];
const ANSWER: AnswerOptions = { noResource: true };

/** `RefreshTokenRequestSteps` of the suite. */
function refreshed(variant: Variant, withScope: boolean): readonly Step[] {
  return [
    stop('CreateRefreshTokenRequest'),
    ...steps(withScope, stop('AddScopeToTokenEndpointRequest', 'RFC6749-6')),
    ...clientAuthentication(variant),
    stop('WaitForOneSecond'),
    stop('CallTokenEndpointAndReturnFullResponse'),
    fail('CheckTokenEndpointHttpStatus200', 'RFC6749-5.1'),
    fail('CheckTokenEndpointReturnedJsonContentType', 'RFC6749-5.1'),
    fail('CheckTokenEndpointCacheHeaders', 'RFC6749-5.1'),
    stop('CheckIfTokenEndpointResponseError'),
    stop('ExtractAccessTokenFromTokenResponse'),
    fail('CheckTokenTypeIsBearer'),
    fail('EnsureMinimumAccessTokenEntropy'),
    fail('EnsureAccessTokenContainsAllowedCharactersOnly', 'RFC6749-A.12'),
    warn('ExtractExpiresInFromTokenEndpointResponse', 'RFC6749-6', 'RFC6749-5.1'),
    fail('ValidateExpiresIn', 'RFC6749-5.1'),
    info('EnsureAccessTokenValuesAreDifferent'),
    info('ExtractIdTokenFromRefreshResponse'),
    info('ExtractRefreshTokenFromTokenResponse'),
    fail('EnsureMinimumRefreshTokenLength', 'RFC6749-10.10'),
    fail('EnsureMinimumRefreshTokenEntropy', 'RFC6749-10.10'),
    fail('CompareIdTokenClaims', 'OIDCC-12.2'),
  ];
}

const TOKEN_CHECKS: readonly Step[] = [
  warn('EnsureServerConfigurationSupportsRefreshToken', 'OIDCD-3'),
  fail('EnsureRefreshTokenContainsAllowedCharactersOnly', 'RFC6749-A.17'),
];

function obtained(variant: Variant, request: RequestOptions): readonly Step[] {
  return [
    ...authorization(variant, { ...request, add: [...(request.add ?? []), CONSENT] }, ANSWER),
    stop('RememberFirstTokens'),
  ];
}

const issued = ({ token_endpoint_response: { refresh_token } }: World): boolean =>
  refresh_token !== undefined;

/** One client's part of oidcc-refresh-token. */
function ofClient(variant: Variant, second: boolean): readonly Step[] {
  return [
    ...obtained(variant, second ? { add: [stop('AddLongNonceToAuthorizationEndpointRequest')] } : {}),
    ...where(
      (world) => !issued(world),
      [warn('EnsureServerConfigurationDoesNotSupportRefreshToken', 'OIDCD-3'), stop('SkipIfNoRefreshToken')],
    ),
    stop('ExtractRefreshTokenFromTokenResponse'),
    ...TOKEN_CHECKS,
    ...refreshed(variant, !second),
    ...PROTECTED_RESOURCE,
  ];
}

const REFRESH_TOKEN: ConformanceModule = {
  name: 'oidcc-refresh-token',
  notFor: (variant) => !hasCode(variant),
  steps: (variant) => [
    ...setUp(variant, { metadata: [GRANT], scope: SCOPE }),
    stop('RememberFirstClient'),
    ...ofClient(variant, false),
    ...aClient(variant, { metadata: [GRANT], scope: SCOPE, staticClient: 'GetStaticClient2Configuration' }),
    ...ofClient(variant, true),
    // The refresh token is that of the second client.
    stop('SwitchClients'),
    stop('CreateRefreshTokenRequest'),
    ...clientAuthentication(variant),
    stop('CallTokenEndpointAndReturnFullResponse'),
    stop('ValidateErrorFromTokenEndpointResponseError'),
    fail('CheckTokenEndpointHttpStatus400', 'OIDCC-3.1.3.4'),
    fail('CheckTokenEndpointReturnedJsonContentType', 'OIDCC-3.1.3.4'),
    fail('CheckErrorFromTokenEndpointResponseErrorInvalidGrant', 'RFC6749-5.2'),
  ],
};

const KEY_ROTATION: ConformanceModule = {
  // proves openid-conformance-20, openid-core-11-1
  name: 'oidcc-refresh-token-rp-key-rotation',
  waits: true,
  notFor: (variant) =>
    !hasCode(variant) || !isDynamic(variant) || variant.client_auth_type !== 'private_key_jwt',
  steps: (variant) => [
    ...setUp(variant, {
      jwksUri: true,
      metadata: [GRANT],
      scope: [stop('SetScopeInClientConfigurationToOpenIdOfflineAccess')],
    }),
    ...obtained(variant, {}),
    // The document at jwks_uri has the new key alone from now on.
    stop('GenerateRS256ClientJWKsWithKeyID'),
    stop('WaitForJWKSRefreshDelay'),
    stop('ExtractRefreshTokenFromTokenResponse'),
    ...TOKEN_CHECKS,
    ...refreshed(variant, true),
    ...PROTECTED_RESOURCE,
  ],
};

const ISSUER_AS_AUDIENCE: ConformanceModule = {
  // proves openid-conformance-12
  name: 'oidcc-ensure-client-assertion-with-iss-aud-succeeds',
  notFor: ({ client_auth_type: method }) => method !== 'private_key_jwt' && method !== 'client_secret_jwt',
  steps: (variant) => [
    ...setUp(variant),
    ...authorization(
      variant,
      {},
      { noResource: true, authentication: [stop('UpdateClientAuthenticationAssertionClaimsWithISSAud')] },
    ),
  ],
};

export const REFRESH_MODULES: readonly ConformanceModule[] = [
  REFRESH_TOKEN,
  KEY_ROTATION,
  ISSUER_AS_AUDIENCE,
];
