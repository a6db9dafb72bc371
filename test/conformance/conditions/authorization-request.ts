import { createHash, randomBytes } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { type Check, present, strings, text } from '../verdict.ts';
import type { Json, World } from '../world.ts';
import { STATIC_QUERY } from './registration.ts';

/** The characters of `state` and `nonce` in the suite: letters, digits and the marks of RFC 6749, appendix A.5. */
function randomText(length: number): string {
  return randomBytes(length).toString('base64url').slice(0, length);
}

function parameter(name: string, value: (world: World) => unknown): Check {
  return (world) => {
    world.authorization_endpoint_request[name] = value(world);
  };
}

function scope(value: string): Check {
  return ({ client }) => {
    client['scope'] = value;
  };
}

/** Returns the address of a request whose parameters are the fields, in their order or in reverse. */
function addressOf({ server }: World, fields: Json, reversed = false): string {
  const names = Object.keys(fields);
  const ordered = reversed ? names.sort().reverse() : names;
  const query = new URLSearchParams(ordered.map((name) => [name, textOf(fields[name])]));
  const endpoint = text(server['authorization_endpoint'], 'authorization_endpoint');
  return `${endpoint}${endpoint.includes('?') ? '&' : '?'}${query.toString()}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Beside a request object, OAuth's own required parameters stay (OpenID Connect Core 1.0 §6.1). */
function beside(world: World, name: 'request' | 'request_uri', value: string): string {
  const request = world.authorization_endpoint_request;
  const kept = ['client_id', 'response_type', 'scope', 'redirect_uri', 'state'];
  const outside = Object.fromEntries(
    kept.flatMap((each) => (each in request ? [[each, request[each]]] : [])),
  );
  return addressOf(world, { ...outside, [name]: value });
}

export const AUTHORIZATION_REQUEST = {
  SetScopeInClientConfigurationToOpenId: scope('openid'),
  SetScopeInClientConfigurationToOpenIdAddress: scope('openid address'),
  SetScopeInClientConfigurationToOpenIdEmail: scope('openid email'),
  SetScopeInClientConfigurationToOpenIdPhone: scope('openid phone'),
  SetScopeInClientConfigurationToOpenIdProfile: scope('openid profile'),
  SetScopeInClientConfigurationToOpenIdEmailPhoneAddressProfile: scope('openid email phone address profile'),
  SetScopeInClientConfigurationToOpenIdOfflineAccess: scope('openid offline_access'),
  SetScopeInClientConfigurationToOpenIdOfflineAccessIfServerSupportsOfflineAccess({ server, client }) {
    if (strings(server['scopes_supported']).includes('offline_access'))
      client['scope'] = 'openid offline_access';
  },
  CreateAuthorizationEndpointRequestFromClientInformation(world) {
    const { client, redirect_uri } = world;
    world.authorization_endpoint_request = {
      client_id: client['client_id'],
      scope: client['scope'],
      redirect_uri,
    };
  },
  CreateRandomStateValue: () => undefined,
  AddStateToAuthorizationEndpointRequest: parameter('state', () => randomText(10)),
  /** The suite asks for a long state where the error must carry it. */
  AddLongStateToAuthorizationEndpointRequest: parameter('state', () => randomText(128)),
  CreateRandomNonceValue: () => undefined,
  AddNonceToAuthorizationEndpointRequest: parameter('nonce', () => randomText(10)),
  AddLongNonceToAuthorizationEndpointRequest: parameter('nonce', () => randomText(43)),
  SetAuthorizationEndpointRequestResponseTypeFromEnvironment: parameter(
    'response_type',
    ({ variant }) => variant.response_type,
  ),
  SetAuthorizationEndpointRequestResponseModeToFormPost: parameter('response_mode', () => 'form_post'),
  AddDisplayPageToAuthorizationEndpointRequest: parameter('display', () => 'page'),
  AddDisplayPopupToAuthorizationEndpointRequest: parameter('display', () => 'popup'),
  AddPromptLoginToAuthorizationEndpointRequest: parameter('prompt', () => 'login'),
  AddPromptNoneToAuthorizationEndpointRequest: parameter('prompt', () => 'none'),
  AddPromptConsentToAuthorizationEndpointRequestIfScopeContainsOfflineAccess({
    authorization_endpoint_request: request,
  }) {
    if (String(request['scope']).includes('offline_access')) request['prompt'] = 'consent';
  },
  AddMaxAge1ToAuthorizationEndpointRequest: parameter('max_age', () => 1),
  AddMaxAge10000ToAuthorizationEndpointRequest: parameter('max_age', () => 10_000),
  AddMaxAge15000ToAuthorizationEndpointRequest: parameter('max_age', () => 15_000),
  AddExtraFoobarToAuthorizationEndpointRequest: parameter('extra', () => 'foobar'),
  AddIdTokenHintFromFirstLoginToAuthorizationEndpointRequest: parameter(
    'id_token_hint',
    ({ first_id_token }) => present(first_id_token, 'first ID token').value,
  ),
  AddLoginHintFromConfigurationToAuthorizationEndpointRequest: parameter(
    'login_hint',
    ({ target }) => target.settings?.['login_hint'] ?? `buffy@${new URL(target.issuer).hostname}`,
  ),
  AddUiLocalesFromConfigurationToAuthorizationEndpointRequest: parameter(
    'ui_locales',
    ({ target }) => target.settings?.['ui_locales'] ?? 'se',
  ),
  AddClaimsLocalesSeToAuthorizationEndpointRequest: parameter('claims_locales', () => 'se'),
  OIDCCAddAcrValuesToAuthorizationEndpointRequest: parameter('acr_values', ({ server }) =>
    strings(server['acr_values_supported'] ?? ['1', '2']).join(' '),
  ),
  AddUserInfoEssentialNameClaimToAuthorizationEndpointRequest: parameter('claims', () => ({
    userinfo: { name: { essential: true } },
  })),
  AddIdTokenEssentialNameClaimToAuthorizationEndpointRequest: parameter('claims', () => ({
    id_token: { name: { essential: true } },
  })),
  ReverseScopeOrderInAuthorizationEndpointRequest: parameter(
    'scope',
    ({ authorization_endpoint_request: request }) => String(request['scope']).split(' ').reverse().join(' '),
  ),
  AddQueryToRedirectUriInAuthorizationRequest: parameter(
    'redirect_uri',
    ({ redirect_uri }) => `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}foo=bar`,
  ),
  ReplaceRedirectUriQueryInAuthorizationRequest: parameter(
    'redirect_uri',
    ({ redirect_uri }) => `${redirect_uri.split('?')[0]}?foo=bar`,
  ),
  RemoveRedirectUriFromAuthorizationEndpointRequest: ({ authorization_endpoint_request: request }) =>
    void delete request['redirect_uri'],
  AddInvalidRedirectUriToAuthorizationRequest: parameter(
    'redirect_uri',
    ({ redirect_uri }) => `${redirect_uri}_invalid`,
  ),
  CreateBadRedirectUriByAppending(world) {
    world.redirect_uri = `${world.site.browserUrl}/callback/${randomText(10)}`;
  },
  UseRedirectUriWithQuery(world) {
    world.redirect_uri = `${world.site.browserUrl}/callback${STATIC_QUERY}`;
  },
  CreateRandomCodeVerifier(world) {
    world.code_verifier = randomText(64);
  },
  CreateS256CodeChallenge: () => undefined,
  AddCodeChallengeToAuthorizationEndpointRequest({ authorization_endpoint_request: request, code_verifier }) {
    request['code_challenge'] = createHash('sha256')
      .update(present(code_verifier, 'code verifier'))
      .digest('base64url');
    request['code_challenge_method'] = 'S256';
  },
  BuildPlainRedirectToAuthorizationEndpoint(world) {
    world.redirect = addressOf(world, world.authorization_endpoint_request);
  },
  BuildPlainRedirectToAuthorizationEndpointReorderedParams(world) {
    world.redirect = addressOf(world, world.authorization_endpoint_request, true);
  },
  ConvertAuthorizationEndpointRequestToRequestObject(world) {
    world.request_object_claims = { ...world.authorization_endpoint_request };
  },
  AddAudToRequestObject({ request_object_claims: claims, server }) {
    claims['aud'] = server['issuer'];
  },
  AddIssToRequestObject({ request_object_claims: claims, client }) {
    claims['iss'] = client['client_id'];
  },
  SerializeRequestObjectWithNullAlgorithm(world) {
    world.request_object = new UnsecuredJWT(world.request_object_claims).encode();
  },
  async SignRequestObject(world) {
    const { privateKey, publicJwk } = present(world.client_key, 'client key');
    world.request_object = await new SignJWT(world.request_object_claims)
      .setProtectedHeader({
        alg: publicJwk.alg ?? 'RS256',
        ...(publicJwk.kid === undefined ? {} : { kid: publicJwk.kid }),
      })
      .sign(privateKey);
  },
  CreateRandomRequestUriWithFragment(world) {
    const path = `/requesturi/${randomText(64)}`;
    world.request_uri = `${world.site.fetchUrl}${path}#${createHash('sha256').update(randomText(64)).digest('base64url')}`;
    world.site.publish(path, 'application/oauth-authz-req+jwt', () =>
      present(world.request_object, 'request object'),
    );
  },
  BuildRequestObjectByValueRedirectToAuthorizationEndpoint(world) {
    world.redirect = beside(world, 'request', present(world.request_object, 'request object'));
  },
  BuildRequestObjectByReferenceRedirectToAuthorizationEndpoint(world) {
    world.redirect = beside(world, 'request_uri', present(world.request_uri, 'request_uri'));
  },
} satisfies Readonly<Record<string, Check>>;
