import { calledBack, onPage } from '../conditions/authorization-response.ts';
import type { ConditionName } from '../conditions/library.ts';
import type { ConformanceModule } from '../module.ts';
import { GENERIC_ERROR, redemption, SERVER_KEYS, STANDARD_ID_TOKEN_CHECKS } from '../sequences.ts';
import { fail, type Step, stop, warn, where } from '../step.ts';
import type { Variant } from '../world.ts';

const PREFIX = 'openid-federation-automatic-client-registration-';
const ERROR_PAGE = 'an error page: status 4xx, text/html, and no redirection';

const CONFIGURATION: readonly Step[] = [
  stop('CallEntityStatementEndpointAndReturnFullResponse', 'OIDFED-9'),
  fail('EnsureContentTypeEntityStatementJwt', 'OIDFED-9'),
  stop('ExtractJWTFromFederationEndpointResponse', 'OIDFED-9'),
  fail('ValidateEntityStatementIss', 'OIDFED-3'),
  fail('ValidateEntityStatementSub', 'OIDFED-3'),
  fail('ValidateEntityStatementIat', 'OIDFED-3'),
  fail('ValidateEntityStatementExp', 'OIDFED-3'),
  fail('EnsureEntityStatementJwksDoesNotContainPrivateOrSymmetricKeys', 'OIDFED-3'),
  fail('CheckDistinctKeyIdValueInEntityStatementJWKs', 'OIDFED-3'),
  fail('VerifyEntityStatementSignature', 'OIDFED-3'),
  fail('ValidateAuthorityHints', 'OIDFED-3'),
  fail('ValidateAbsenceOfMetadataPolicy', 'OIDFED-3'),
  stop('EnsureEntityIsOpenIdProvider'),
  fail('ValidateClientRegistrationTypesSupported', 'OIDFED-5.1.3'),
  fail('ValidateFederationRegistrationEndpoint', 'OIDFED-5.1.3'),
];

const READY: readonly Step[] = [
  ...CONFIGURATION,
  ...SERVER_KEYS,
  stop('GenerateEntityConfigurationForOPTest'),
];

interface RequestOptions {
  readonly claims?: readonly ConditionName[];
  readonly sign?: readonly ConditionName[];
  readonly address?: readonly ConditionName[];
}

function request({
  claims = [],
  sign = ['SignRequestObjectWithFederationTrustChain'],
  address = ['CreateQueryParametersForAuthorizationRequest'],
}: RequestOptions): readonly Step[] {
  return ['CreateRequestObjectClaims' as const, ...claims, ...sign, ...address].map((each) => stop(each));
}

function answered(variant: Variant): readonly Step[] {
  return [
    stop('ExpectCallback'),
    fail('ValidateIssIfPresentInAuthorizationResponse', 'OAuth2-iss-2'),
    stop('CheckIfAuthorizationEndpointError'),
    fail('CheckStateInAuthorizationResponse'),
    stop('ExtractAuthorizationCodeFromAuthorizationResponse'),
    ...redemption(variant, { noResource: true, idToken: STANDARD_ID_TOKEN_CHECKS }),
    fail('ValidateIdTokenAudIsSingleElement', 'OIDFED-12.1.1.1'),
    fail('ExpectIdTokenOfEntity', 'OIDFED-12.1.1.1'),
  ];
}

function accepted(
  name: string,
  options: RequestOptions & { readonly post?: boolean; readonly ready?: readonly Step[] },
): ConformanceModule {
  return {
    name: `${PREFIX}${name}`,
    steps: (variant) => [
      ...READY,
      ...(options.ready ?? []),
      ...request(options),
      stop(options.post === true ? 'PerformRedirectByPost' : 'PerformRedirect'),
      ...answered(variant),
    ],
  };
}

const PUSH: readonly ConditionName[] = [
  'ClearTokenEndpointRequest',
  'UpdateClientAuthenticationAssertionClaimsWithISSAud',
  'CallPAREndpoint',
  'CheckPAREndpointResponse201WithNoError',
  'EnsurePARContentTypeJson',
  'CheckForRequestUriValue',
  'CheckForPARResponseExpiresIn',
  'EnsureMinimumRequestUriEntropy',
  'ExtractRequestUriFromPARResponse',
];
const IN_HEADER: readonly ConditionName[] = ['SignRequestObjectWithTrustChainInHeader'];

const EITHER_CLIENT = warn(
  'CheckErrorFromAuthorizationEndpointErrorInvalidRequestOrInvalidRequestObjectOrInvalidClient',
  'OIDFED-12.1.3',
);
const EITHER_REQUEST = warn(
  'CheckErrorFromAuthorizationEndpointErrorInvalidRequestOrInvalidRequestObject',
  'OIDFED-12.1.3',
);
const CLIENT_PAGE = stop('ExpectInvalidRequestOrInvalidClientErrorPage');
const OBJECT_PAGE = stop('ExpectInvalidRequestOrInvalidRequestObjectErrorPage');

/** A request that ends in an error, on a page or at the relying party, before anybody signs in. */
function refusal(code: Step, page: Step): readonly Step[] {
  return [
    stop('PerformRedirect'),
    fail('ExpectNoSignInPage'),
    ...where(onPage, [page]),
    ...where(calledBack, [...GENERIC_ERROR, code]),
  ];
}

function refused(
  name: string,
  options: RequestOptions,
  code: Step = EITHER_CLIENT,
  page: Step = OBJECT_PAGE,
): ConformanceModule {
  return {
    name: `${PREFIX}invalid-${name}`,
    review: ERROR_PAGE,
    steps: () => [...READY, ...request(options), ...refusal(code, page)],
  };
}

export const FEDERATION_MODULES: readonly ConformanceModule[] = [
  { name: 'openid-federation-entity-configuration', steps: () => CONFIGURATION },
  accepted('with-jar-and-get', {}),
  accepted('with-jar-and-post', { post: true }),
  accepted('with-par', { address: PUSH }),
  accepted('with-jar-and-get-and-trust-chain', { sign: IN_HEADER }),
  accepted('with-jar-and-post-and-trust-chain', { sign: IN_HEADER, post: true }),
  accepted('with-par-and-trust-chain', { sign: IN_HEADER, address: PUSH }),
  accepted('with-jar-and-encrypted-request-object', {
    ready: [stop('SkipIfNoEncryptedRequestObjects')],
    sign: ['SignRequestObjectWithFederationTrustChain', 'EncryptRequestObject'],
  }),
  refused(
    'client-id-in-request-object',
    { claims: ['AddInvalidClientIdToRequestObject'] },
    EITHER_CLIENT,
    CLIENT_PAGE,
  ),
  refused(
    'client-id-in-query-parameters',
    { address: ['AddInvalidClientIdToQueryParameters'] },
    EITHER_CLIENT,
    CLIENT_PAGE,
  ),
  refused(
    'signature-on-request-object',
    { sign: ['SignRequestObjectWithFederationTrustChain', 'InvalidateRequestObjectSignature'] },
    EITHER_REQUEST,
  ),
  refused(
    'signature-with-other-keys-on-request-object',
    { sign: ['SignRequestObjectWithOtherKeys'] },
    EITHER_REQUEST,
  ),
  refused('request-object-exp', { claims: ['AddInvalidExpToRequestObject'] }),
  refused('request-object-iss', { claims: ['AddInvalidIssToRequestObject'] }),
  refused('request-object-aud', { claims: ['AddInvalidAudToRequestObject'] }),
  refused('request-object-sub', { claims: ['AddSubToRequestObject'] }),
  refused('missing-request-object-jti', { claims: ['RemoveJtiFromRequestObject'] }),
  refused('missing-request-object-exp', { claims: ['RemoveExpFromRequestObject'] }),
  refused('missing-request-object-iss', { claims: ['RemoveIssFromRequestObject'] }),
  refused('missing-request-object-aud', { claims: ['RemoveAudFromRequestObject'] }),
  {
    name: `${PREFIX}invalid-duplicate-request-object-jti`,
    review: ERROR_PAGE,
    steps: (variant) => [
      ...READY,
      ...request({}),
      stop('PerformRedirect'),
      ...answered(variant),
      ...[
        'CreateRequestObjectClaimsWithSameJti' as const,
        'SignRequestObjectWithFederationTrustChain' as const,
      ].map((each) => stop(each)),
      stop('CreateQueryParametersForAuthorizationRequest'),
      ...refusal(EITHER_CLIENT, OBJECT_PAGE),
    ],
  },
  {
    name: `${PREFIX}expect-entity-configuration-request`,
    notes: 'The suite waits for a request that the operator causes; here a request of the entity causes it',
    steps: () => [
      ...READY,
      ...request({}),
      stop('PerformRedirectToSignInPage'),
      stop('ExpectEntityConfigurationRequest'),
    ],
  },
  {
    name: `${PREFIX}invalid-iss-in-entity-configuration`,
    notes: 'The suite ends without a condition; here the request must also be refused',
    steps: () => [
      ...CONFIGURATION,
      ...SERVER_KEYS,
      stop('GenerateEntityConfigurationWithOtherIss'),
      ...request({}),
      stop('PerformRedirect'),
      stop('ExpectEntityConfigurationRequest'),
      fail('ExpectNoSignInPage'),
      fail('ExpectNoCallback'),
    ],
  },
];
