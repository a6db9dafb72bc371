import { calledBack, onPage } from '../conditions/authorization-response.ts';
import type { ConformanceModule } from '../module.ts';
import {
  authorization,
  callback,
  hasCode,
  isDynamic,
  REGISTERED,
  registrationRequest,
  request,
  SERVER_KEYS,
  STANDARD_ID_TOKEN_CHECKS,
  setUp,
} from '../sequences.ts';
import { fail, type Step, stop, warn, where } from '../step.ts';
import type { Variant } from '../world.ts';

const ERROR_PAGE = 'an error page: status 4xx, text/html, and no redirection';
const notStatic = (variant: Variant): boolean => !isDynamic(variant);

const DISCOVERED: readonly Step[] = [
  stop('CreateRedirectUri'),
  stop('GetDynamicServerConfiguration'),
  stop('CheckServerConfiguration'),
];
const ERROR_PAGE_EXPECTED: readonly Step[] = [
  stop('PerformRedirect'),
  stop('ExpectNoCallback'),
  stop('ExpectRedirectUriErrorPage', 'OIDCC-3.1.2.1'),
];

/** A registration that the provider must refuse. */
function refused(code: Step): readonly Step[] {
  return [
    stop('CallDynamicRegistrationEndpoint'),
    fail('EnsureContentTypeJson'),
    fail('EnsureHttpStatusCodeIs400'),
    code,
  ];
}

/** The sign-in page shows something of the client. A person looks at a screenshot; here the page is searched. */
function shownAtSignIn(
  name: string,
  create: Step,
  add: Step,
  expected: Step,
  review: string,
): ConformanceModule {
  return {
    name,
    review,
    notFor: notStatic,
    steps: (variant) => [
      ...DISCOVERED,
      create,
      ...registrationRequest(variant),
      add,
      ...REGISTERED,
      stop('SetScopeInClientConfigurationToOpenId'),
      ...request(variant),
      stop('PerformRedirectToSignInPage'),
      ...where(calledBack, [...callback(variant), stop('CheckIfAuthorizationEndpointError')]),
      ...where(onPage, [expected]),
    ],
  };
}

const SECTOR: readonly Step[] = [
  stop('AddSubjectTypePairwiseToDynamicRegistrationRequest'),
  stop('AddSectorIdentifierUriToDynamicRegistrationRequest'),
];

export const DYNAMIC_MODULES: readonly ConformanceModule[] = [
  {
    // proves openid-conformance-9
    name: 'oidcc-idtoken-rs256',
    notFor: notStatic,
    steps: (variant) => [
      ...setUp(variant, { metadata: [stop('AddIdTokenSigningAlgRS256ToDynamicRegistrationRequest')] }),
      ...authorization(
        variant,
        {},
        {
          idToken: [
            fail('EnsureIdTokenContainsKid', 'OIDCC-10.1'),
            fail('CheckIdTokenSignatureAlgorithm', 'OIDCC-3.1.3.7'),
            ...STANDARD_ID_TOKEN_CHECKS,
          ],
        },
      ),
    ],
  },
  {
    // proves openid-conformance-14, openid-core-3.1.2.1-2
    name: 'oidcc-ensure-redirect-uri-in-authorization-request',
    notFor: notStatic,
    review: ERROR_PAGE,
    steps: (variant) => [
      ...setUp(variant, { metadata: [stop('AddMultipleRedirectUriToDynamicRegistrationRequest')] }),
      ...request(variant, { add: [stop('RemoveRedirectUriFromAuthorizationEndpointRequest')] }),
      stop('PerformRedirect'),
      ...where(calledBack, [fail('AuthorizationEndpointRedirectedBackUnexpectedly')]),
      ...where(onPage, [stop('ExpectRedirectUriMissingErrorPage', 'OIDCC-3.1.2.1')]),
    ],
  },
  {
    // proves openid-conformance-4, rfc6749-3.1.2-2
    name: 'oidcc-redirect-uri-query-OK',
    notFor: notStatic,
    steps: (variant) => [
      ...setUp(variant, { before: [stop('AddQueryToRedirectUri')] }),
      ...authorization(variant),
    ],
  },
  {
    // proves openid-conformance-14
    name: 'oidcc-redirect-uri-query-mismatch',
    notFor: notStatic,
    review: ERROR_PAGE,
    steps: (variant) => [
      ...setUp(variant, { before: [stop('AddQueryToRedirectUri')] }),
      ...request(variant, { add: [stop('ReplaceRedirectUriQueryInAuthorizationRequest')] }),
      ...ERROR_PAGE_EXPECTED,
    ],
  },
  {
    // proves openid-conformance-14
    name: 'oidcc-redirect-uri-query-added',
    review: ERROR_PAGE,
    steps: (variant) => [
      ...setUp(variant),
      ...request(variant, { add: [stop('AddQueryToRedirectUriInAuthorizationRequest')] }),
      ...ERROR_PAGE_EXPECTED,
    ],
  },
  {
    // proves openid-conformance-3
    name: 'oidcc-redirect-uri-regfrag',
    notFor: notStatic,
    steps: (variant) => [
      ...DISCOVERED,
      stop('AddFragmentToRedirectUri'),
      ...registrationRequest(variant),
      ...refused(
        warn(
          'CheckErrorFromDynamicRegistrationEndpointIsInvalidRedirectUriOrInvalidClientMetadata',
          'OIDCR-3.3',
        ),
      ),
    ],
  },
  shownAtSignIn(
    // proves openid-conformance-8
    'oidcc-registration-logo-uri',
    stop('CreateLogoUri'),
    stop('AddLogoUriToDynamicRegistrationRequest'),
    stop('ExpectLoginPageWithLogo', 'OIDCR-2'),
    'the sign-in page shows an image, and the image can be fetched',
  ),
  shownAtSignIn(
    // proves openid-conformance-8
    'oidcc-registration-policy-uri',
    stop('CreatePolicyUri'),
    stop('AddPolicyUriToDynamicRegistrationRequest'),
    stop('ExpectLoginPageWithPolicyLink', 'OIDCR-2'),
    'the sign-in page links to the policy',
  ),
  shownAtSignIn(
    // proves openid-conformance-8
    'oidcc-registration-tos-uri',
    stop('CreateTosUri'),
    stop('AddTosUriToDynamicRegistrationRequest'),
    stop('ExpectLoginPageWithTosLink', 'OIDCR-2'),
    'the sign-in page links to the terms',
  ),
  {
    // proves openid-conformance-7
    name: 'oidcc-registration-jwks-uri',
    notFor: (variant) =>
      notStatic(variant) || !hasCode(variant) || variant.client_auth_type !== 'private_key_jwt',
    steps: (variant) => [...setUp(variant, { jwksUri: true }), ...authorization(variant)],
  },
  {
    // proves openid-conformance-5
    name: 'oidcc-registration-sector-uri',
    notFor: notStatic,
    steps: (variant) => [
      ...DISCOVERED,
      stop('SkipTestIfPairwiseUnsupported'),
      stop('CreateSectorRedirectUris'),
      ...registrationRequest(variant),
      ...SECTOR,
      ...REGISTERED,
    ],
  },
  {
    // proves openid-conformance-6
    name: 'oidcc-registration-sector-bad',
    notFor: notStatic,
    steps: (variant) => [
      ...DISCOVERED,
      stop('SkipTestIfPairwiseUnsupported'),
      stop('CreateInvalidSectorRedirectUris'),
      ...registrationRequest(variant),
      ...SECTOR,
      ...refused(warn('CheckErrorFromDynamicRegistrationEndpointIsInvalidClientMetadata', 'OIDCR-3.3')),
    ],
  },
  {
    name: 'oidcc-server-rotate-keys',
    alone: true,
    steps: () => [
      ...DISCOVERED,
      ...SERVER_KEYS,
      stop('RememberServerKeys'),
      stop('TellUserToRotateOpKeys'),
      ...SERVER_KEYS,
      fail('VerifyNewJwksHasNewSigningKey', 'OIDCC-10.1.1'),
      warn('VerifyNewJwksStillHasOldSigningKey', 'OIDCC-10.1.1'),
    ],
  },
  {
    // proves openid-conformance-24
    name: 'oidcc-3rd_party-init-login',
    notFor: notStatic,
    steps: (variant) => [
      ...setUp(variant, {
        metadata: [
          stop('CreateInitiateLoginUri', 'OIDCC-4', 'OIDCR-2'),
          stop('AddInitiateLoginUriToDynamicRegistrationRequest', 'OIDCC-4', 'OIDCR-2'),
        ],
      }),
      fail('ValidateInitiateLoginUriInRegistrationResponse', 'OIDCR-3.2'),
      stop('CallClientConfigurationEndpoint', 'OIDCD-4.2'),
      fail('CheckRegistrationClientEndpointContentTypeHttpStatus200', 'OIDCD-4.3'),
      fail('CheckRegistrationClientEndpointContentType', 'OIDCD-4.3'),
      fail('ValidateInitiateLoginUriInConfigurationResponse', 'OIDCD-4.3'),
    ],
  },
  {
    // proves openid-conformance-25
    name: 'oidcc-3rd_party-init-login-nohttps',
    notFor: notStatic,
    steps: (variant) => [
      ...DISCOVERED,
      ...registrationRequest(variant),
      stop('CreateInitiateLoginUri', 'OIDCC-4', 'OIDCR-2'),
      stop('AddInitiateLoginUriAsNonHttpsToDynamicRegistrationRequest', 'OIDCC-4', 'OIDCR-2'),
      ...refused(fail('CheckErrorFromDynamicRegistrationEndpointIsInvalidClientMetadata', 'OIDCR-3.3')),
    ],
  },
];
