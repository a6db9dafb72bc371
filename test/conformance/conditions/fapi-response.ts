import { setTimeout as sleep } from 'node:timers/promises';
import { objectOf } from '../http.ts';
import {
  type Check,
  ConditionFailed,
  expect,
  expectSame,
  present,
  shown,
  strings,
  text,
} from '../verdict.ts';
import type { World } from '../world.ts';
import { now } from './fapi-request.ts';
import { expectSignature, keysOf, readJwt } from './keys.ts';

/** Conditions of the FAPI 2.0 modules about discovery, authorisation responses and the token endpoint. */

const ALLOWED = new Set(['PS256', 'ES256', 'EdDSA', 'Ed25519']);
const RSA_BITS_MIN = 2048;
const CODE_LIFETIME_MAX_S = 62;
const JARM_LIFETIME_MAX_S = 600;
const TOKEN_BITS_MIN = 128;

/** At least one value, and none that the profile forbids. */
function allowedOnly(member: string): Check {
  return ({ server }) => {
    const values = strings(server[member]);
    expect(values.length > 0, `${member} is ${shown(server[member])}`);
    const others = values.filter((value) => !ALLOWED.has(value));
    expect(others.length === 0, `${member} has ${others.join(', ')}`);
  };
}

const isTrue =
  (member: string): Check =>
  ({ server }) =>
    expectSame(server[member], true, member);

const lists =
  (member: string, value: string): Check =>
  ({ server }) =>
    expect(strings(server[member]).includes(value), `${member} is ${shown(server[member])}`);

const isList =
  (member: string): Check =>
  ({ server }) =>
    expect(Array.isArray(server[member]), `${member} is ${shown(server[member])}`);

function errorIs(...codes: readonly string[]): Check {
  return ({ authorization_endpoint_response: { error } }) =>
    expect(codes.includes(String(error)), `the error is ${shown(error)}, not one of ${codes.join(', ')}`);
}

const notInFragment =
  (name: string): Check =>
  ({ landed }) => {
    const { hash } = new URL(landed?.callback?.url ?? 'about:blank');
    expect(!new URLSearchParams(hash.slice(1)).has(name), `${name} is in the fragment`);
  };

function errorPage(world: World): void {
  const page = present(world.landed?.page, 'page: the browser was sent to the relying party');
  expect(page.status >= 400 && page.status < 500, `the page has status ${page.status}`);
}

const tokenError =
  (...codes: readonly string[]): Check =>
  ({ token_endpoint_response: { error } }) =>
    expect(codes.includes(String(error)), `the error is ${shown(error)}, not one of ${codes.join(', ')}`);

export const FAPI_RESPONSE = {
  FAPI2FinalEnsureMinimumServerKeyLength({ server_jwks }) {
    for (const { kty, n = '' } of keysOf(server_jwks))
      if (kty === 'RSA') expect(Buffer.from(n, 'base64url').length * 8 >= RSA_BITS_MIN, 'a short RSA key');
  },
  CheckDiscEndpointResponseTypeCodeSupported: lists('response_types_supported', 'code'),
  CheckDiscEndpointResponseModesSupportedContainsJwt: lists('response_modes_supported', 'jwt'),
  CheckDiscEndpointAuthSignAlgValuesIsJsonArray: isList('authorization_signing_alg_values_supported'),
  CheckDiscEndpointAuthEncryptAlgValuesIsJsonArray: isList('authorization_encryption_alg_values_supported'),
  CheckDiscEndpointAuthEncryptEncValuesIsJsonArray: isList('authorization_encryption_enc_values_supported'),
  EnsureAuthorizationResponseIssParameterSupportedIsTrue: isTrue(
    'authorization_response_iss_parameter_supported',
  ),
  CheckDiscEndpointPARSupported: ({ server }) =>
    void text(server['pushed_authorization_request_endpoint'], 'PAR endpoint'),
  CheckDiscRequirePushedAuthorizationRequestsIsABoolean: isTrue('require_pushed_authorization_requests'),
  FAPI2CheckDiscEndpointRequestObjectSigningAlgValuesSupported: allowedOnly(
    'request_object_signing_alg_values_supported',
  ),
  FAPI2CheckDpopSigningAlgValuesSupported: allowedOnly('dpop_signing_alg_values_supported'),
  FAPI2CheckDiscEndpointIdTokenSigningAlgValuesSupported: allowedOnly(
    'id_token_signing_alg_values_supported',
  ),
  FAPI2CheckDiscEndpointTokenEndpointAuthSigningAlgValuesSupported: allowedOnly(
    'token_endpoint_auth_signing_alg_values_supported',
  ),
  FAPI2CheckTokenEndpointAuthMethodsSupported({ server }) {
    const methods = strings(server['token_endpoint_auth_methods_supported']);
    const allowed = new Set(['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth']);
    expect(methods.length > 0 && methods.every((each) => allowed.has(each)), shown(methods));
  },
  EnsureServerConfigurationSupportsCodeChallengeMethodS256: lists('code_challenge_methods_supported', 'S256'),
  async ExtractAuthorizationEndpointResponseFromJARMResponse(world) {
    world.jarm = readJwt(text(world.callback_query['response'], 'response'), 'response');
    world.authorization_endpoint_response = Object.fromEntries(
      Object.entries(world.jarm.claims)
        .filter(([name]) => name !== 'aud' && name !== 'exp')
        .map(([name, value]) => [name, String(value)]),
    );
    await expectSignature(world, world.jarm);
  },
  RejectNonJarmResponsesInUrlQuery: ({ callback_query }) =>
    expect(Object.keys(callback_query).join(' ') === 'response', shown(Object.keys(callback_query))),
  ValidateJARMResponse({ jarm, server, client }) {
    const { claims } = present(jarm, 'signed response');
    expectSame(claims['iss'], server['issuer'], 'iss');
    expectSame(claims['aud'], client['client_id'], 'aud');
    expect(typeof claims['exp'] === 'number' && claims['exp'] > now(), `exp is ${shown(claims['exp'])}`);
  },
  FAPI2ValidateJarmSigningAlg: ({ jarm }) =>
    expect(ALLOWED.has(String(jarm?.header['alg'])), `alg is ${shown(jarm?.header['alg'])}`),
  ValidateJARMExpRecommendations: ({ jarm }) =>
    expect(
      Number(jarm?.claims['exp']) <= now() + JARM_LIFETIME_MAX_S,
      `exp is ${shown(jarm?.claims['exp'])}`,
    ),
  RequireIssInAuthorizationResponse: ({ authorization_endpoint_response: { iss }, server }) =>
    expectSame(iss, server['issuer'], 'iss'),
  RejectAuthCodeInUrlFragment: notInFragment('code'),
  RejectErrorInUrlFragment: notInFragment('error'),
  RejectStateInUrlFragmentForCodeFlow: notInFragment('state'),
  VerifyNoStateInAuthorizationResponse: ({ authorization_endpoint_response: response }) =>
    expect(!('state' in response), 'a state that was not sent'),
  EnsureInvalidRequestError: errorIs('invalid_request'),
  EnsureInvalidRequestUriError: errorIs('invalid_request_uri'),
  EnsureAccessDeniedErrorFromAuthorizationEndpointResponse: errorIs('access_denied'),
  ExpectInvalidRequestUriErrorPage: errorPage,
  ExpectAuthorizationRequestWithoutRequestObjectErrorPage: errorPage,
  WarningAboutRequestUriError() {
    throw new ConditionFailed('the second use of request_uri, before the person signed in, is refused');
  },
  async OpenRedirectWithoutSigningIn(world) {
    await world.browser.go(present(world.redirect, 'address'), { until: 'sign-in' });
  },
  /** A person who says no. */
  async PerformRedirectAndReject(world) {
    world.landed = await world.browser.go(present(world.redirect, 'address'), { refuse: true });
    const { callback } = world.landed;
    if (callback !== undefined) world.callback_query = Object.fromEntries(new URL(callback.url).searchParams);
    world.authorization_endpoint_response = world.callback_query;
  },
  WaitFor62Seconds: async () => await sleep(CODE_LIFETIME_MAX_S * 1000),
  async WaitForExpiry({ pushed }) {
    const { expires_in } = objectOf(present(pushed, 'answer of the PAR endpoint'));
    await sleep((Number(expires_in) + 1) * 1000);
  },
  FAPI2ValidateIdTokenSigningAlg: ({ id_token }) =>
    expect(ALLOWED.has(String(id_token?.header['alg'])), `alg is ${shown(id_token?.header['alg'])}`),
  EnsureMinimumAccessTokenLength: ({ access_token = '' }) =>
    expect(access_token.length * 8 >= TOKEN_BITS_MIN, 'a short access token'),
  ServerAllowedReusingAuthorizationCodeOfFapi: ({ token }) =>
    expect((token?.status ?? 0) >= 400, 'the code was accepted a second time'),
  ServerAllowedExpiredAuthorizationCode: ({ token }) =>
    expect((token?.status ?? 0) >= 400, 'the expired code was accepted'),
  EnsureRefreshTokenHasNotRotated({ token_endpoint_response: { refresh_token }, refresh_token: before }) {
    if (refresh_token !== undefined) expectSame(refresh_token, before, 'refresh_token');
  },
  CheckErrorFromTokenEndpointResponseErrorInvalidClientOrInvalidRequest: tokenError(
    'invalid_client',
    'invalid_request',
  ),
  CheckErrorFromTokenEndpointResponseErrorInvalidClientOrInvalidGrant: tokenError(
    'invalid_client',
    'invalid_grant',
  ),
} satisfies Readonly<Record<string, Check>>;
