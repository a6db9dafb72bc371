import { header, objectOf, type Reply } from '../http.ts';
import { type Check, expect, expectSame, present, shown, strings, text } from '../verdict.ts';
import type { Json, World } from '../world.ts';
import { expectHttps } from './discovery.ts';

/** The name of the second redirect URI of oidcc-ensure-redirect-uri-in-authorization-request. */
const OTHER_REDIRECT_URI = 'https://example.org/redirect';
const CONTACT = 'certification@oidf.org';
/** The query that a static client's second redirect URI has (instructions of the suite). */
export const STATIC_QUERY = '?dummy1=lorem&dummy2=ipsum';
/** One transparent pixel. */
const LOGO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

function member(name: string, value: (world: World) => unknown): Check {
  return (world) => {
    world.dynamic_registration_request[name] = value(world);
  };
}

function withGrant(grant: string): Check {
  return member('grant_types', ({ dynamic_registration_request: request }) => [
    ...strings(request['grant_types']),
    grant,
  ]);
}

const sitePath =
  (path: string) =>
  (world: World): string =>
    `${world.site.browserUrl}/${path}`;

async function call(world: World, method: string, json?: Json): Promise<Reply> {
  const url = text(world.client['registration_client_uri'], 'registration_client_uri');
  const token = text(world.client['registration_access_token'], 'registration_access_token');
  return await world.target.send(url, {
    method,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    ...(json === undefined ? {} : { json }),
  });
}

export function manage(method: string, json: (world: World) => Json | undefined = () => undefined): Check {
  return async (world) => {
    world.configuration = await call(world, method, json(world));
  };
}

/** Marks the reply that `EnsureContentTypeJson` and the conditions on statuses look at. */
export function lastReply(world: World): Reply {
  return present(world.configuration ?? world.registration, 'response of the registration endpoint');
}

function errorIs(...codes: readonly string[]): Check {
  return (world) => {
    const { error } = objectOf(lastReply(world));
    expect(codes.includes(String(error)), `the error is ${shown(error)}, not one of ${codes.join(', ')}`);
  };
}

function status(...expected: readonly number[]): Check {
  return (world) => {
    const { status: actual, text: body } = lastReply(world);
    expect(expected.includes(actual), `the status is ${actual}: ${body.slice(0, 300)}`);
  };
}

export const REGISTRATION = {
  CreateRedirectUri(world) {
    world.redirect_uri = `${world.site.browserUrl}/callback`;
  },
  GetStaticClientConfiguration(world) {
    world.client = { ...present(world.target.clients?.['client'], 'client in the settings') };
  },
  GetStaticClient2Configuration(world) {
    world.client = { ...present(world.target.clients?.['client2'], 'client2 in the settings') };
  },
  GetStaticClientForSecretPost(world) {
    world.client = {
      ...present(world.target.clients?.['client_secret_post'], 'client_secret_post in the settings'),
    };
  },
  GenerateRS256ClientJWKs(world) {
    world.client_key = world.nextKey();
  },
  GenerateRS256ClientJWKsWithKeyID(world) {
    world.client_key = world.nextKey();
    expect(world.client_key.publicJwk.kid !== undefined, 'a key without kid');
  },
  CreateEmptyDynamicRegistrationRequest(world) {
    world.dynamic_registration_request = {};
  },
  AddClientNameToDynamicRegistrationRequest: member(
    'client_name',
    ({ site }) => `Conformance ${site.browserUrl.split('/').at(-1)}`,
  ),
  AddAuthorizationCodeGrantTypeToDynamicRegistrationRequest: withGrant('authorization_code'),
  AddImplicitGrantTypeToDynamicRegistrationRequest: withGrant('implicit'),
  AddRefreshTokenGrantTypeToDynamicRegistrationRequest: withGrant('refresh_token'),
  AddPublicJwksToDynamicRegistrationRequest: member('jwks', ({ client_key }) => ({
    keys: [present(client_key, 'client key').publicJwk],
  })),
  AddTokenEndpointAuthMethodToDynamicRegistrationRequestFromEnvironment: member(
    'token_endpoint_auth_method',
    ({ variant }) => variant.client_auth_type,
  ),
  AddResponseTypesArrayToDynamicRegistrationRequestFromEnvironment: member(
    'response_types',
    ({ variant }) => [variant.response_type],
  ),
  AddRedirectUriToDynamicRegistrationRequest: member('redirect_uris', ({ redirect_uri }) => [redirect_uri]),
  AddContactsToDynamicRegistrationRequest: member('contacts', () => [CONTACT]),
  AddMultipleRedirectUriToDynamicRegistrationRequest: member('redirect_uris', ({ redirect_uri }) => [
    redirect_uri,
    OTHER_REDIRECT_URI,
  ]),
  CreateJwksUri(world) {
    world.site.publish('/client1_jwks', 'application/json', () =>
      JSON.stringify({ keys: [present(world.client_key, 'client key').publicJwk] }),
    );
  },
  AddJwksUriToDynamicRegistrationRequest: member('jwks_uri', ({ site }) => `${site.fetchUrl}/client1_jwks`),
  CreateInitiateLoginUri: () => undefined,
  AddInitiateLoginUriToDynamicRegistrationRequest: member('initiate_login_uri', sitePath('initiate_login')),
  AddInitiateLoginUriAsNonHttpsToDynamicRegistrationRequest: member('initiate_login_uri', (world) =>
    sitePath('initiate_login')(world).replace('https:', 'http:'),
  ),
  /** The logo is at the host of the redirect URI, as in the suite. Here that is the host that the provider can fetch from. */
  CreateLogoUri(world) {
    world.redirect_uri = `${world.site.fetchUrl}/callback`;
    world.site.publish('/images/openid.png', 'image/png', LOGO);
  },
  AddLogoUriToDynamicRegistrationRequest: member(
    'logo_uri',
    ({ site }) => `${site.fetchUrl}/images/openid.png`,
  ),
  CreatePolicyUri: () => undefined,
  AddPolicyUriToDynamicRegistrationRequest: member('policy_uri', sitePath('policy.html')),
  CreateTosUri: () => undefined,
  AddTosUriToDynamicRegistrationRequest: member('tos_uri', sitePath('tos.html')),
  CreateSectorRedirectUris: (world) =>
    world.site.publish('/redirect_uris.json', 'application/json', JSON.stringify([world.redirect_uri])),
  CreateInvalidSectorRedirectUris: ({ site }) =>
    site.publish('/redirect_uris.json', 'application/json', JSON.stringify(['https://example.com/op'])),
  AddSubjectTypePairwiseToDynamicRegistrationRequest: member('subject_type', () => 'pairwise'),
  AddSectorIdentifierUriToDynamicRegistrationRequest: member(
    'sector_identifier_uri',
    ({ site }) => `${site.fetchUrl}/redirect_uris.json`,
  ),
  AddFragmentToRedirectUri(world) {
    world.redirect_uri += '#foobar';
  },
  AddQueryToRedirectUri(world) {
    world.redirect_uri += '?bar=foo';
  },
  AddIdTokenSigningAlgRS256ToDynamicRegistrationRequest: member(
    'id_token_signed_response_alg',
    () => 'RS256',
  ),
  AddIdTokenSigningAlgNoneToDynamicRegistrationRequest: member('id_token_signed_response_alg', () => 'none'),
  AddUserinfoSignedResponseAlgRS256ToDynamicRegistrationRequest: member(
    'userinfo_signed_response_alg',
    () => 'RS256',
  ),
  AddRequestObjectSigningAlgRS256ToDynamicRegistrationRequest: member(
    'request_object_signing_alg',
    () => 'RS256',
  ),
  AddRequestUriToDynamicRegistrationRequest: member('request_uris', ({ request_uri }) => [request_uri]),
  CreatePostLogoutRedirectUri: () => undefined,
  AddPostLogoutRedirectUriToDynamicRegistrationRequest: member('post_logout_redirect_uris', (world) => [
    sitePath('post_logout_redirect')(world),
  ]),
  CreateBackchannelLogoutUri: () => undefined,
  AddBackchannelLogoutUriToDynamicRegistrationRequest: member(
    'backchannel_logout_uri',
    ({ site }) => `${site.fetchUrl}/backchannel_logout`,
  ),
  AddBackchannelLogoutSessionRequiredTrueToDynamicRegistrationRequest: member(
    'backchannel_logout_session_required',
    () => true,
  ),
  CreateFrontchannelLogoutUri: () => undefined,
  AddFrontchannelLogoutUriToDynamicRegistrationRequest: member(
    'frontchannel_logout_uri',
    sitePath('frontchannel_logout'),
  ),
  AddFrontchannelLogoutSessionRequiredTrueToDynamicRegistrationRequest: member(
    'frontchannel_logout_session_required',
    () => true,
  ),
  async CallDynamicRegistrationEndpoint(world) {
    const { target, server, dynamic_registration_request: json } = world;
    const token = world.initial_access_token ?? target.initialAccessToken;
    delete world.configuration;
    world.registration = await target.send(text(server['registration_endpoint'], 'registration_endpoint'), {
      json,
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
  },
  EnsureContentTypeJson(world) {
    const type = header(lastReply(world), 'content-type');
    expect(/^application\/json\b/i.test(type), `the content type is ${type}`);
  },
  EnsureHttpStatusCodeIs201: status(201),
  EnsureHttpStatusCodeIs400: status(400),
  EnsureHttpStatusCodeIs401: status(401),
  EnsureHttpStatusCodeIs400or401: status(400, 401),
  CheckNoErrorFromDynamicRegistrationEndpoint: (world) =>
    expectSame(objectOf(lastReply(world))['error'], undefined, 'error'),
  ExtractDynamicRegistrationResponse(world) {
    world.client = objectOf(lastReply(world));
    text(world.client['client_id'], 'client_id');
  },
  VerifyClientManagementCredentials({ client }) {
    if (!('registration_client_uri' in client) && !('registration_access_token' in client)) return;
    text(client['registration_access_token'], 'registration_access_token');
    expectHttps('registration_client_uri', client['registration_client_uri']);
  },
  VerifyDynamicRegistrationResponseClientCredentials({ client }) {
    text(client['client_id'], 'client_id');
    if (client['client_secret'] === undefined) return;
    text(client['client_secret'], 'client_secret');
    expect(Number.isInteger(client['client_secret_expires_at']), 'client_secret_expires_at is missing');
  },
  CheckErrorFromDynamicRegistrationEndpointIsInvalidClientMetadata: errorIs('invalid_client_metadata'),
  CheckErrorFromDynamicRegistrationEndpointIsInvalidRedirectUriOrInvalidClientMetadata: errorIs(
    'invalid_redirect_uri',
    'invalid_client_metadata',
  ),
  ValidateInitiateLoginUriInRegistrationResponse: ({ client, dynamic_registration_request: request }) =>
    expectSame(client['initiate_login_uri'], request['initiate_login_uri'], 'initiate_login_uri'),
  CallClientConfigurationEndpoint: manage('GET'),
  CheckRegistrationClientEndpointContentTypeHttpStatus200: status(200),
  CheckRegistrationClientEndpointContentType(world) {
    const type = header(lastReply(world), 'content-type');
    expect(/^application\/json\b/i.test(type), `the content type is ${type}`);
  },
  ValidateInitiateLoginUriInConfigurationResponse: (world) =>
    expectSame(
      objectOf(lastReply(world))['initiate_login_uri'],
      world.dynamic_registration_request['initiate_login_uri'],
      'initiate_login_uri',
    ),
  async UnregisterDynamicallyRegisteredClient(world) {
    if (world.client['registration_client_uri'] === undefined) return;
    const reply = await call(world, 'DELETE');
    expectSame(reply.status, 204, 'the status of DELETE');
  },
  RememberFirstClient(world) {
    world.first_client = { client: world.client, key: world.client_key, certificate: undefined };
  },
  SwitchClients(world) {
    const first = present(world.first_client, 'first client');
    world.first_client = { client: world.client, key: world.client_key, certificate: undefined };
    world.client = first.client;
    if (first.key !== undefined) world.client_key = first.key;
  },
} satisfies Readonly<Record<string, Check>>;
