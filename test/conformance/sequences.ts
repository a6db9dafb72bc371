import { calledBack, onPage } from './conditions/authorization-response.ts';
import type { ConditionName } from './conditions/library.ts';
import { fail, info, type Step, steps, stop, warn, where } from './step.ts';
import type { Variant } from './world.ts';

export const hasCode = ({ response_type: type }: Variant): boolean => type.split(' ').includes('code');
export const hasIdToken = ({ response_type: type }: Variant): boolean => type.split(' ').includes('id_token');
export const hasToken = ({ response_type: type }: Variant): boolean => type.split(' ').includes('token');
export const isDynamic = (variant: Variant): boolean => variant.client_registration === 'dynamic_client';

const FETCH_KEYS: readonly Step[] = [
  stop('FetchServerKeys'),
  warn('CheckServerKeysIsValid'),
  fail('EnsureJwksHasNoPrivateOrSymmetricKeyMaterial', 'RFC7517-1.1'),
  fail('ValidateJwksStructure', 'RFC7517-1.1'),
  fail('ParseUsableJwksKeys', 'RFC7517-1.1'),
  warn('WarnOnUnusableJwksKeys', 'RFC7517-1.1'),
  fail('CheckForKeyIdInServerJWKs', 'OIDCC-10.1'),
  fail('CheckDistinctKeyIdValueInServerJWKs', 'RFC7517-4.5'),
];
export const SERVER_KEYS: readonly Step[] = FETCH_KEYS;

/** The registration request that every module begins with. `jwksUri`: the key is published there, and has a kid. */
export function registrationRequest(variant: Variant, jwksUri = false): readonly Step[] {
  return [
    ...steps(jwksUri, stop('CreateJwksUri')),
    stop(jwksUri ? 'GenerateRS256ClientJWKsWithKeyID' : 'GenerateRS256ClientJWKs'),
    fail('CheckDistinctKeyIdValueInClientJWKs', 'RFC7517-4.5'),
    stop('CreateEmptyDynamicRegistrationRequest'),
    stop('AddClientNameToDynamicRegistrationRequest'),
    ...steps(hasCode(variant), stop('AddAuthorizationCodeGrantTypeToDynamicRegistrationRequest')),
    ...steps(
      hasIdToken(variant) || hasToken(variant),
      stop('AddImplicitGrantTypeToDynamicRegistrationRequest'),
    ),
    stop(
      jwksUri ? 'AddJwksUriToDynamicRegistrationRequest' : 'AddPublicJwksToDynamicRegistrationRequest',
      'RFC7591-2',
    ),
    stop('AddTokenEndpointAuthMethodToDynamicRegistrationRequestFromEnvironment'),
    stop('AddResponseTypesArrayToDynamicRegistrationRequestFromEnvironment'),
    stop('AddRedirectUriToDynamicRegistrationRequest'),
    info('AddContactsToDynamicRegistrationRequest'),
  ];
}

export const REGISTERED: readonly Step[] = [
  stop('CallDynamicRegistrationEndpoint', 'RFC7591-3.1', 'OIDCR-3.2'),
  fail('EnsureContentTypeJson', 'OIDCR-3.2'),
  fail('EnsureHttpStatusCodeIs201', 'OIDCR-3.2'),
  fail('CheckNoErrorFromDynamicRegistrationEndpoint', 'OIDCR-3.2'),
  stop('ExtractDynamicRegistrationResponse', 'OIDCR-3.2'),
  fail('VerifyClientManagementCredentials', 'OIDCR-3.2'),
  fail('VerifyDynamicRegistrationResponseClientCredentials', 'OIDCR-3.2'),
];

export interface ClientOptions {
  /** Added to the registration request. */
  readonly metadata?: readonly Step[];
  readonly jwksUri?: boolean;
  /** Before the registration request. */
  readonly before?: readonly Step[];
  readonly staticClient?: ConditionName;
  readonly scope?: readonly Step[];
}

/** Registers a client, or takes one from the settings, and sets the scope that it will ask for. */
export function aClient(variant: Variant, options: ClientOptions = {}): readonly Step[] {
  const {
    metadata = [],
    jwksUri = false,
    before = [],
    staticClient = 'GetStaticClientConfiguration',
  } = options;
  const { scope = [stop('SetScopeInClientConfigurationToOpenId')] } = options;
  return [
    ...before,
    ...(isDynamic(variant)
      ? [...registrationRequest(variant, jwksUri), ...metadata, ...REGISTERED]
      : [stop(staticClient), stop('GenerateRS256ClientJWKs')]),
    ...scope,
    ...methodIsSupported(variant),
  ];
}

function methodIsSupported({ client_auth_type: method }: Variant): readonly Step[] {
  if (method === 'client_secret_post') return [fail('EnsureServerConfigurationSupportsClientSecretPost')];
  if (method === 'private_key_jwt') return [fail('EnsureServerConfigurationSupportsPrivateKeyJwt')];
  return [fail('EnsureServerConfigurationSupportsClientSecretBasic')];
}

export interface SetUp extends ClientOptions {
  /** Before the client: rules by which the module is skipped. */
  readonly unless?: readonly Step[];
  /** After the client: scopes, and more rules. */
  readonly after?: readonly Step[];
}

/** `configure()` of the suite: discovery, keys, a client. */
export function setUp(variant: Variant, { unless = [], after = [], ...client }: SetUp = {}): readonly Step[] {
  return [
    stop('CreateRedirectUri'),
    stop('GetDynamicServerConfiguration'),
    stop('CheckServerConfiguration'),
    ...FETCH_KEYS,
    ...unless,
    ...aClient(variant, client),
    stop('SetProtectedResourceUrlToUserInfoEndpoint'),
    ...after,
  ];
}

export interface RequestOptions {
  readonly omit?: readonly ConditionName[];
  readonly add?: readonly Step[];
  readonly longState?: boolean;
  readonly build?: readonly Step[];
}

/** Makes the authorisation request, and the address that it leads to. */
export function request(variant: Variant, options: RequestOptions = {}): readonly Step[] {
  const { omit = [], add = [], longState = false } = options;
  const { build = [stop('BuildPlainRedirectToAuthorizationEndpoint')] } = options;
  const made = [
    stop('CreateAuthorizationEndpointRequestFromClientInformation'),
    stop('CreateRandomStateValue'),
    stop(longState ? 'AddLongStateToAuthorizationEndpointRequest' : 'AddStateToAuthorizationEndpointRequest'),
    stop('CreateRandomNonceValue'),
    stop('AddNonceToAuthorizationEndpointRequest'),
    stop('SetAuthorizationEndpointRequestResponseTypeFromEnvironment'),
    ...steps(
      variant.response_mode === 'form_post',
      stop('SetAuthorizationEndpointRequestResponseModeToFormPost'),
    ),
  ];
  return [...made.filter(({ condition }) => !omit.includes(condition)), ...add, ...build];
}

/** Where the answer must be. `anyQuery`: an error whose response type is unknown goes to the query. */
export function callback(variant: Variant, anyQuery = false): readonly Step[] {
  if (variant.response_mode === 'form_post')
    return [
      fail('CheckCallbackHttpMethodIsPost', 'OAuth2-FP-2'),
      fail('CheckCallbackContentTypeIsFormUrlEncoded', 'OAuth2-FP-2'),
      fail('RejectAuthCodeInUrlQuery', 'OIDCC-3.3.2.5'),
      fail('RejectErrorInUrlQuery', 'OAuth2-RT-5'),
    ];
  if (variant.response_type === 'code' || anyQuery) return [];
  return [fail('RejectAuthCodeInUrlQuery', 'OIDCC-3.3.2.5'), fail('RejectErrorInUrlQuery', 'OAuth2-RT-5')];
}

export const STANDARD_ID_TOKEN_CHECKS: readonly Step[] = [
  fail('ValidateIdToken', 'OIDCC-3.1.3.7'),
  fail('ValidateIdTokenStandardClaims', 'OIDCC-5.1'),
  fail('ValidateIdTokenNonce', 'OIDCC-2'),
  fail('ValidateIdTokenACRClaimAgainstRequest', 'OIDCC-5.5.1.1'),
  fail('ValidateIdTokenSignature'),
  fail('CheckForSubjectInIdToken', 'OIDCC-2'),
  fail('EnsureIdTokenUpdatedAtValid', 'OIDCC-5.1'),
];

export interface AnswerOptions {
  /** The checks of each ID token. */
  readonly idToken?: readonly Step[];
  readonly frontIdToken?: readonly Step[];
  readonly backIdToken?: readonly Step[];
  readonly code?: readonly Step[];
  /** Added to the token request. */
  readonly tokenRequest?: readonly Step[];
  /** Ends after the authorisation endpoint's answer. */
  readonly noToken?: boolean;
  /** First of all, before the answer is judged. */
  readonly first?: readonly Step[];
  readonly noResource?: boolean;
  /** Instead of the client authentication of the variant. */
  readonly authentication?: readonly Step[];
}

const RESOURCE: readonly Step[] = [stop('CallProtectedResource'), fail('EnsureHttpStatusCodeIs200')];
export const PROTECTED_RESOURCE: readonly Step[] = RESOURCE;

export function clientAuthentication({ client_auth_type: method }: Variant): readonly Step[] {
  if (method === 'client_secret_basic') return [stop('AddBasicAuthClientSecretToRequest')];
  if (method === 'client_secret_post') return [stop('AddFormBasedClientSecretToRequest')];
  return [stop('CreateJWTClientAuthenticationAssertionAndAddToTokenEndpointRequest')];
}

/** Follows a successful authorisation: the answer, the code's redemption, UserInfo. */
export function success(variant: Variant, options: AnswerOptions = {}): readonly Step[] {
  const { idToken = STANDARD_ID_TOKEN_CHECKS, frontIdToken = [], code = [], first = [] } = options;
  return [
    ...callback(variant),
    ...first,
    fail('CheckMatchingCallbackParameters'),
    fail('ValidateIssIfPresentInAuthorizationResponse', 'OAuth2-iss-2'),
    stop('CheckIfAuthorizationEndpointError'),
    fail('CheckStateInAuthorizationResponse'),
    ...steps(hasCode(variant), stop('ExtractAuthorizationCodeFromAuthorizationResponse')),
    ...steps(hasToken(variant), stop('ExtractAccessTokenFromAuthorizationResponse')),
    ...steps(hasIdToken(variant), stop('ExtractIdTokenFromAuthorizationResponse'), idToken, frontIdToken),
    ...steps(hasCode(variant), code),
    ...steps(hasToken(variant), RESOURCE),
    ...steps(hasCode(variant) && options.noToken !== true, redemption(variant, options)),
  ];
}

export function redemption(variant: Variant, options: AnswerOptions = {}): readonly Step[] {
  const { idToken = STANDARD_ID_TOKEN_CHECKS, backIdToken = [], tokenRequest = [] } = options;
  const { authentication = clientAuthentication(variant), noResource = false } = options;
  return [
    stop('CreateTokenEndpointRequestForAuthorizationCodeGrant'),
    ...authentication,
    ...tokenRequest,
    stop('CallTokenEndpointAndReturnFullResponse'),
    stop('CheckTokenEndpointHttpStatus200'),
    stop('CheckIfTokenEndpointResponseError'),
    stop('CheckForAccessTokenValue'),
    stop('ExtractAccessTokenFromTokenResponse'),
    info('ExtractExpiresInFromTokenEndpointResponse', 'RFC6749-5.1'),
    fail('ValidateExpiresIn', 'RFC6749-5.1'),
    info('CheckForRefreshTokenValue'),
    stop('ExtractIdTokenFromTokenResponse', 'OIDCC-3.1.3.3', 'OIDCC-3.3.3.3'),
    ...idToken,
    ...backIdToken,
    ...steps(hasIdToken(variant), fail('VerifyIdTokenSubConsistentHybridFlow', 'OIDCC-2')),
    ...steps(!noResource, RESOURCE),
  ];
}

/** A whole authorisation that must succeed. */
export function authorization(
  variant: Variant,
  asked: RequestOptions = {},
  answer: AnswerOptions = {},
): readonly Step[] {
  return [
    ...request(variant, asked),
    stop('PerformRedirect'),
    stop('ExpectCallback'),
    ...success(variant, answer),
  ];
}

export const GENERIC_ERROR: readonly Step[] = [
  fail('CheckStateInAuthorizationResponse'),
  fail('ValidateIssIfPresentInAuthorizationResponse', 'OAuth2-iss-2'),
  fail('EnsureErrorFromAuthorizationEndpointResponse', 'OIDCC-3.1.2.6'),
  fail('RejectAuthCodeInAuthorizationEndpointResponse', 'OIDCC-3.1.2.6'),
  warn('CheckForUnexpectedParametersInErrorResponseFromAuthorizationEndpoint', 'OIDCC-3.1.2.6'),
  warn('CheckErrorDescriptionFromAuthorizationEndpointResponseErrorContainsCRLFTAB', 'RFC6749-4.1.2.1'),
  fail('ValidateErrorDescriptionFromAuthorizationEndpointResponseError', 'RFC6749-4.1.2.1'),
  fail('ValidateErrorUriFromAuthorizationEndpointResponseError', 'RFC6749-4.1.2.1'),
];

/** A request that may end on a page or at the relying party; each end has its own steps. */
export function either(
  asked: readonly Step[],
  page: readonly Step[],
  answered: readonly Step[],
): readonly Step[] {
  return [...asked, stop('PerformRedirect'), ...where(onPage, page), ...where(calledBack, answered)];
}

/** RFC 6749 §5.2, as the suite looks at errors of the token endpoint. */
export const TOKEN_ERROR: readonly Step[] = [
  fail('CheckTokenEndpointReturnedJsonContentType', 'OIDCC-3.1.3.4'),
  fail('ValidateErrorFromTokenEndpointResponseError', 'RFC6749-5.2'),
  warn('CheckErrorDescriptionFromTokenEndpointResponseErrorContainsCRLFTAB', 'RFC6749-5.2'),
  fail('ValidateErrorDescriptionFromTokenEndpointResponseError', 'RFC6749-5.2'),
  fail('ValidateErrorUriFromTokenEndpointResponseError', 'RFC6749-5.2'),
];
