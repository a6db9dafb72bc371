import type { ConditionName } from '../conditions/library.ts';
import type { ConformanceModule } from '../module.ts';
import {
  authorization,
  hasCode,
  hasIdToken,
  hasToken,
  isDynamic,
  STANDARD_ID_TOKEN_CHECKS,
  setUp,
} from '../sequences.ts';
import { fail, info, type Step, steps, stop, warn } from '../step.ts';
import type { Variant } from '../world.ts';

/** Whether UserInfo can be asked: not where an ID token alone is issued. */
const hasAccessToken = (variant: Variant): boolean => hasCode(variant) || hasToken(variant);

const CALL: readonly Step[] = [
  stop('CallUserInfoEndpoint', 'OIDCC-5.3.1'),
  fail('EnsureHttpStatusCodeIs200'),
];

function validated(variant: Variant, backToo: boolean): readonly Step[] {
  return [
    fail('ValidateUserInfoStandardClaims', 'OIDCC-5.1'),
    fail('EnsureUserInfoContainsSub', 'OIDCC-5.3.2'),
    fail('EnsureUserInfoUpdatedAtValid', 'OIDCC-5.1'),
    fail('EnsureMemberValuesInClaimNameReferenceToMemberNamesInClaimSources', 'OIDCC-5.6.2'),
    ...steps(
      hasIdToken(variant),
      fail('VerifyUserInfoAndIdTokenInAuthorizationEndpointSameSub', 'OIDCC-5.3.2'),
    ),
    ...steps(backToo, fail('VerifyUserInfoAndIdTokenInTokenEndpointSameSub', 'OIDCC-5.3.2')),
  ];
}

interface Returned {
  readonly scope?: ConditionName;
  readonly add?: readonly Step[];
  readonly build?: readonly Step[];
  readonly idToken?: (variant: Variant) => readonly Step[];
  readonly userinfo?: readonly Step[];
  /** Where only an ID token is issued, the claims are in it. */
  readonly inIdToken?: readonly Step[];
}

/** A module about the claims that come back. */
function returnedClaims(name: string, options: Returned): ConformanceModule {
  const { scope, add = [], build, idToken = () => [], userinfo = [], inIdToken = [] } = options;
  return {
    name,
    steps: (variant) => [
      ...setUp(variant, {
        after: scope === undefined ? [] : [stop(scope), info('OIDCCCheckScopesSupportedContainScopeTest')],
      }),
      ...authorization(
        variant,
        { add, ...(build === undefined ? {} : { build }) },
        { idToken: [...STANDARD_ID_TOKEN_CHECKS, ...idToken(variant)] },
      ),
      ...(hasAccessToken(variant)
        ? [
            ...CALL,
            stop('ExtractUserInfoFromUserInfoEndpointResponse'),
            ...validated(variant, hasCode(variant)),
            warn('VerifyScopesReturnedInUserInfoClaims', 'OIDCC-5.4'),
            ...userinfo,
          ]
        : [warn('VerifyScopesReturnedInAuthorizationEndpointIdToken', 'OIDCC-5.4'), ...inIdToken]),
    ],
  };
}

const EMAIL: Returned = {
  scope: 'SetScopeInClientConfigurationToOpenIdEmail',
  idToken: (variant) => [
    warn('EnsureIdTokenDoesNotContainName', 'OIDCC-5.5', 'OIDCC-5.5.1'),
    ...steps(hasAccessToken(variant), warn('EnsureIdTokenDoesNotContainEmailForScopeEmail', 'OIDCC-5.4')),
  ],
  userinfo: [warn('EnsureUserInfoDoesNotContainName', 'OIDCC-5.5', 'OIDCC-5.5.1')],
};

const CLAIMS_ESSENTIAL: ConformanceModule = {
  name: 'oidcc-claims-essential',
  steps: (variant) =>
    returnedClaims('', {
      add: [
        stop(
          hasAccessToken(variant)
            ? 'AddUserInfoEssentialNameClaimToAuthorizationEndpointRequest'
            : 'AddIdTokenEssentialNameClaimToAuthorizationEndpointRequest',
          'OIDCC-5.5',
          'OIDCC-5.5.1',
        ),
      ],
      userinfo: [
        warn('EnsureUserInfoContainsName', 'OIDCC-5.5', 'OIDCC-5.5.1'),
        warn('EnsureIdTokenDoesNotContainName', 'OIDCC-5.5', 'OIDCC-5.5.1'),
      ],
      inIdToken: [warn('EnsureIdTokenContainsName', 'OIDCC-5.5', 'OIDCC-5.5.1')],
    }).steps(variant),
};

function userinfo(name: string, call: readonly Step[]): ConformanceModule {
  return {
    name,
    notFor: (variant) => !hasAccessToken(variant),
    steps: (variant) => [
      ...setUp(variant),
      ...authorization(variant),
      ...call,
      fail('EnsureUserInfoContentTypeJson', 'OIDCC-5.3.2'),
      stop('ExtractUserInfoFromUserInfoEndpointResponse'),
      ...validated(variant, hasIdToken(variant) && hasCode(variant)),
    ],
  };
}

const USERINFO_RS256: ConformanceModule = {
  // proves openid-conformance-9
  name: 'oidcc-userinfo-rs256',
  notFor: (variant) => !isDynamic(variant) || !hasAccessToken(variant),
  steps: (variant) => [
    ...setUp(variant, {
      metadata: [stop('AddUserinfoSignedResponseAlgRS256ToDynamicRegistrationRequest', 'OIDCR-2')],
      after: [fail('CheckDiscEndpointUserinfoSigningAlgValuesSupportedContainsRS256', 'OIDCD-3')],
    }),
    ...authorization(variant),
    ...CALL,
    fail('EnsureContentTypeApplicationJwt', 'OIDCC-5.3.2'),
    fail('ValidateUserInfoResponseSignature', 'OIDCC-5.3.2'),
    stop('ExtractSignedUserInfoFromUserInfoEndpointResponse'),
    fail('ValidateUserInfoSigningAlgIsRS256'),
    warn('ValidateSignedUserInfoResponseStandardJWTClaims', 'OIDCC-5.3.2'),
    fail('EnsureUserInfoDoesNotContainNonce', 'OIDCC-5.3.2', 'OIDCC-5.1'),
    ...validated(variant, hasIdToken(variant) && hasCode(variant)),
  ],
};

export const CLAIMS_MODULES: readonly ConformanceModule[] = [
  // proves openid-conformance-18
  returnedClaims('oidcc-scope-profile', { scope: 'SetScopeInClientConfigurationToOpenIdProfile' }),
  // proves openid-conformance-18
  returnedClaims('oidcc-scope-email', EMAIL),
  // proves openid-conformance-18
  returnedClaims('oidcc-scope-address', { scope: 'SetScopeInClientConfigurationToOpenIdAddress' }),
  // proves openid-conformance-18
  returnedClaims('oidcc-scope-phone', { scope: 'SetScopeInClientConfigurationToOpenIdPhone' }),
  // proves openid-conformance-18
  returnedClaims('oidcc-scope-all', {
    scope: 'SetScopeInClientConfigurationToOpenIdEmailPhoneAddressProfile',
  }),
  returnedClaims('oidcc-alternate-happy-flow', {
    ...EMAIL,
    add: [stop('ReverseScopeOrderInAuthorizationEndpointRequest', 'RFC6749-3.3')],
    build: [stop('BuildPlainRedirectToAuthorizationEndpointReorderedParams')],
  }),
  CLAIMS_ESSENTIAL,
  // proves openid-conformance-18
  userinfo('oidcc-userinfo-get', CALL),
  // proves openid-conformance-19
  userinfo('oidcc-userinfo-post-header', [
    stop('SetResourceMethodToPost'),
    stop('CallUserInfoEndpointByPost', 'OIDCC-5.3.1'),
    fail('EnsureHttpStatusCodeIs200'),
  ]),
  // proves openid-conformance-19
  userinfo('oidcc-userinfo-post-body', [
    stop('CallUserInfoEndpointWithBearerTokenInBody', 'OIDCC-5.3.1'),
    warn('UserInfoEndpointWithAccessTokenInBodyNotSupported'),
  ]),
  USERINFO_RS256,
];
