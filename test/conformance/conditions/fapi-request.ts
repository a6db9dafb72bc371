import { generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { objectOf } from '../http.ts';
import { type Check, expect, expectSame, present, shown, text } from '../verdict.ts';
import type { ClientKey, Json, World } from '../world.ts';

/** Conditions of the FAPI 2.0 modules about the client, its request and the endpoint that it is pushed to. */

const MINUTE_S = 60;
const OBJECT_LIFETIME_S = 300;
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export const now = (): number => Math.floor(Date.now() / 1000);

async function es256Key(kid: string): Promise<ClientKey> {
  const pair = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const jwk = await exportJWK(pair.publicKey);
  const pkcs8 = pair.privateKey.export({ type: 'pkcs8', format: 'der' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  return {
    privateKey: await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
    publicJwk: { ...jwk, use: 'sig', alg: 'ES256', kid },
  };
}

/** How the client authenticates, and what its tokens are bound to. */
function authenticationOf({ variant, certificate }: World): Json {
  if (variant.sender_constrain !== 'mtls')
    return { token_endpoint_auth_method: 'private_key_jwt', dpop_bound_access_tokens: true };
  return {
    token_endpoint_auth_method: 'tls_client_auth',
    tls_client_auth_san_dns: present(certificate, 'certificate').name,
    tls_client_certificate_bound_access_tokens: true,
  };
}

/** Registers a client as the configuration of a FAPI plan has it: two clients, each with keys of its own. */
async function register(world: World): Promise<void> {
  const key = await es256Key(`ec-${randomUUID()}`);
  // The suite changes `alg` of the key of the client to RS256; here that is a second key of the client.
  const rs256 = world.nextKey();
  const metadata: Json = {
    redirect_uris: [world.redirect_uri],
    grant_types: ['authorization_code', 'refresh_token'],
    ...authenticationOf(world),
    id_token_signed_response_alg: 'PS256',
    authorization_signed_response_alg: 'PS256',
    jwks: { keys: [key.publicJwk, { ...rs256.publicJwk, alg: undefined }] },
  };
  const endpoint = text(world.server['registration_endpoint'], 'registration_endpoint');
  const reply = await world.target.send(endpoint, { json: metadata });
  expect(reply.status < 300, `registration: ${reply.status} ${reply.text.slice(0, 300)}`);
  world.client = objectOf(reply);
  world.client_key = key;
  world.rs256_key = rs256;
}

async function signed(
  { privateKey, publicJwk }: ClientKey,
  claims: Json,
  header: Json = {},
): Promise<string> {
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: publicJwk.alg ?? 'ES256', kid: publicJwk.kid ?? '', ...header })
    .sign(privateKey);
}

const claim =
  (name: string, value: (world: World) => unknown): Check =>
  (world) => {
    world.request_object_claims[name] = value(world);
  };

function changed(change: (claims: Json, world: World) => void): Check {
  return (world) => change(present(world.assertion_claims, 'claims of the assertion'), world);
}

/** Adds the signed assertion to the form of an endpoint. */
const added =
  (form: (world: World) => Json): Check =>
  (world) => {
    Object.assign(form(world), {
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: present(world.client_assertion, 'assertion'),
    });
  };

export const parForm = (world: World): Json => {
  world.par_request ??= {};
  return world.par_request;
};

function parError(...codes: readonly string[]): Check {
  return ({ pushed }) => {
    const reply = present(pushed, 'answer of the PAR endpoint');
    expect(reply.status >= 400 && reply.status < 500, `the PAR endpoint answered ${reply.status}`);
    const { error } = objectOf(reply);
    expect(codes.includes(String(error)), `the error is ${shown(error)}, not one of ${codes.join(', ')}`);
  };
}

const INVALID_REQUEST = 'invalid_request';
const INVALID_OBJECT = 'invalid_request_object';

export const FAPI_REQUEST = {
  RegisterFapiClient: register,
  CheckForKeyIdInClientJWKs: ({ client_key }) => void text(client_key?.publicJwk.kid, 'kid'),
  /** The key is made here, over P-256. */
  FAPI2FinalEnsureMinimumClientKeyLength: ({ client_key }) =>
    expectSame(client_key?.publicJwk.crv, 'P-256', 'crv'),
  RememberFirstFapiClient(world) {
    const { client, client_key: key, certificate } = world;
    world.first_client = { client, key, certificate };
  },
  SwitchToFirstFapiClient(world) {
    const { client, key, certificate } = present(world.first_client, 'first client');
    world.client = client;
    world.certificate = certificate;
    if (key !== undefined) world.client_key = key;
  },
  SetAuthorizationEndpointRequestResponseTypeToCode: ({ authorization_endpoint_request: request }) =>
    void (request['response_type'] = 'code'),
  SetAuthorizationEndpointRequestResponseTypeToCodeIdtoken: ({ authorization_endpoint_request: request }) =>
    void (request['response_type'] = 'code id_token'),
  SetAuthorizationEndpointRequestResponseTypeToToken: ({ authorization_endpoint_request: request }) =>
    void (request['response_type'] = 'token'),
  SetAuthorizationEndpointRequestResponseModeToJWT: ({ authorization_endpoint_request: request }) =>
    void (request['response_mode'] = 'jwt'),
  RemoveStateFromAuthorizationEndpointRequest: ({ authorization_endpoint_request: request }) =>
    void delete request['state'],
  RemoveNonceFromAuthorizationEndpointRequest: ({ authorization_endpoint_request: request }) =>
    void delete request['nonce'],
  Set64CharNonce: ({ authorization_endpoint_request: request }) => void (request['nonce'] = 'n'.repeat(64)),
  SetLongNonce: ({ authorization_endpoint_request: request }) => void (request['nonce'] = 'n'.repeat(384)),
  SetLongState: ({ authorization_endpoint_request: request }) => void (request['state'] = 's'.repeat(1000)),
  CreatePlainCodeChallenge({ authorization_endpoint_request: request, code_verifier }) {
    request['code_challenge'] = present(code_verifier, 'code verifier');
    request['code_challenge_method'] = 'plain';
  },
  AddIatToRequestObject: claim('iat', now),
  AddNbfToRequestObject: claim('nbf', now),
  AddExpToRequestObject: claim('exp', () => now() + OBJECT_LIFETIME_S),
  AddClientIdToRequestObject: claim('client_id', ({ client }) => client['client_id']),
  AddMultipleAudToRequestObject: claim('aud', ({ server }) => [
    server['issuer'],
    'https://other1.example.com',
  ]),
  AddBadAudToRequestObject: claim('aud', ({ server }) => `${String(server['issuer'])}/invalid`),
  AddExpiredExpToRequestObject: claim('exp', () => now() - OBJECT_LIFETIME_S),
  AddExpValueIs70MinutesInFutureToRequestObject: claim('exp', () => now() + 70 * MINUTE_S),
  AddNbfValueIs70MinutesInPastToRequestObject: claim('nbf', () => now() - 70 * MINUTE_S),
  AddNbfValueIs8SecondsInFutureToRequestObject: claim('nbf', () => now() + 8),
  RemoveExpFromFapiRequestObject: ({ request_object_claims: claims }) => void delete claims['exp'],
  RemoveNbfFromRequestObject: ({ request_object_claims: claims }) => void delete claims['nbf'],
  RemoveRedirectUriFromRequestObject: ({ request_object_claims: claims }) =>
    void delete claims['redirect_uri'],
  AddBadRequestUriToAuthorizationRequest: claim('request_uri', ({ site }) => `${site.fetchUrl}/bad`),
  async SignRequestObjectIncludeMediaType(world) {
    const key = present(world.client_key, 'client key');
    const header = { typ: 'oauth-authz-req+jwt' };
    world.request_object = await signed(key, world.request_object_claims, header);
  },
  async SignRequestObjectWithRS256(world) {
    const key = present(world.rs256_key, 'RS256 key');
    world.request_object = await signed(key, world.request_object_claims, { alg: 'RS256' });
  },
  async SignRequestObjectWithTheKeyOfAnotherClient(world) {
    const key = await es256Key(String(world.client_key?.publicJwk.kid));
    world.request_object = await signed(key, world.request_object_claims);
  },
  SerializeFapiRequestObjectWithNullAlgorithm(world) {
    world.request_object = new UnsecuredJWT(world.request_object_claims).encode();
  },
  InvalidateFapiRequestObjectSignature(world) {
    const [header, payload, signature = ''] = present(world.request_object, 'request object').split('.');
    const flipped = Buffer.from(signature, 'base64url').map((octet) => octet ^ 0x5a);
    world.request_object = `${header}.${payload}.${Buffer.from(flipped).toString('base64url')}`;
  },
  BuildRequestObjectPostToPAREndpoint(world) {
    world.par_request = { request: present(world.request_object, 'request object') };
  },
  BuildUnsignedPAREndpointRequest(world) {
    world.par_request = { ...world.authorization_endpoint_request };
  },
  AddStateToParEndpointParameters: (world) => void (parForm(world)['state'] = 'only-outside'),
  AddBadRequestUriToRequestParameters: (world) =>
    void (parForm(world)['request_uri'] = 'https://example.com/x'),
  CreateClientAuthenticationAssertionClaimsWithIssAudience(world) {
    const id = text(world.client['client_id'], 'client_id');
    const iat = now();
    world.assertion_claims = {
      iss: id,
      sub: id,
      aud: world.server['issuer'],
      jti: randomUUID(),
      iat,
      nbf: iat,
      exp: iat + MINUTE_S,
    };
  },
  AddExpIs5MinutesInPastToClientAssertionClaims: changed((claims) => {
    claims['exp'] = now() - 5 * MINUTE_S;
  }),
  RemoveSubFromClientAssertionClaims: changed((claims) => void delete claims['sub']),
  AddWrongAudToClientAssertionClaims: changed((claims) => {
    claims['aud'] = 'https://www.other1.example.com/';
  }),
  AddIatNbf8SecondsInTheFutureToClientAuthenticationAssertionClaims: changed((claims) => {
    Object.assign(claims, { iat: now() + 8, nbf: now() + 8 });
  }),
  AddIatNbfExpOver60SecondsInTheFutureToClientAuthenticationAssertionClaims: changed((claims) => {
    Object.assign(claims, { iat: now() + 75, nbf: now() + 75, exp: now() + 135 });
  }),
  AddArrayContainingIssuerAndAnotherValueAsAudToClientAuthenticationAssertionClaims: changed(
    (claims, { server }) => {
      claims['aud'] = [server['issuer'], 'https://other1.example.com'];
    },
  ),
  AddPAREndpointAsAudToClientAuthenticationAssertionClaims: changed((claims, { server }) => {
    claims['aud'] = server['pushed_authorization_request_endpoint'];
  }),
  AddTokenEndpointAsAudToClientAuthenticationAssertionClaims: changed((claims, { server }) => {
    claims['aud'] = server['token_endpoint'];
  }),
  async SignClientAuthenticationAssertion(world) {
    const key = present(world.client_key, 'client key');
    world.client_assertion = await signed(key, present(world.assertion_claims, 'claims'));
  },
  async SignClientAuthenticationAssertionWithRS256(world) {
    const key = present(world.rs256_key, 'RS256 key');
    world.client_assertion = await signed(key, present(world.assertion_claims, 'claims'), { alg: 'RS256' });
  },
  AddClientAssertionToPAREndpointParameters: added(parForm),
  AddClientAssertionToRequest: added(({ token_endpoint_request: form }) => form),
  async CallPAREndpointWithClientAuthentication(world) {
    const endpoint = text(world.server['pushed_authorization_request_endpoint'], 'PAR endpoint');
    const headers = world.dpop_proof === undefined ? {} : { dpop: world.dpop_proof };
    world.pushed = await world.target.send(endpoint, {
      form: parForm(world) as Record<string, string>,
      headers: { accept: 'application/json', ...headers },
      certificate: world.certificate,
    });
    delete world.dpop_proof;
  },
  async CallPAREndpointByPut(world) {
    const endpoint = text(world.server['pushed_authorization_request_endpoint'], 'PAR endpoint');
    world.pushed = await world.target.send(endpoint, {
      method: 'PUT',
      form: parForm(world) as Record<string, string>,
    });
  },
  FAPI2EnsureExpiresInOfPARBelow600({ pushed }) {
    const { expires_in } = objectOf(present(pushed, 'answer'));
    expect(typeof expires_in === 'number' && expires_in > 0 && expires_in < 600, shown(expires_in));
  },
  RememberRequestUriFromPARResponse(world) {
    world.request_uri = text(objectOf(present(world.pushed, 'answer'))['request_uri'], 'request_uri');
  },
  BuildRequestObjectByReferenceRedirectToAuthorizationEndpointWithoutDuplicates(world) {
    const query = new URLSearchParams({
      client_id: text(world.client['client_id'], 'client_id'),
      request_uri: present(world.request_uri, 'request_uri'),
    });
    world.redirect = `${text(world.server['authorization_endpoint'], 'authorization_endpoint')}?${query.toString()}`;
  },
  EnsurePARInvalidRequestError: parError(INVALID_REQUEST),
  EnsurePARInvalidRequestObjectError: parError(INVALID_OBJECT),
  EnsurePARInvalidRequestOrInvalidRequestObjectError: parError(INVALID_REQUEST, INVALID_OBJECT),
  EnsurePARInvalidRequestOrInvalidDpopProof: parError(INVALID_REQUEST, 'invalid_dpop_proof'),
  EnsurePARInvalidRequestOrInvalidRequestObjectOrRequestUriNotSupportedError: parError(
    INVALID_REQUEST,
    INVALID_OBJECT,
    'request_uri_not_supported',
  ),
  EnsurePARUnsupportedResponseTypeOrInvalidRequestOrUnauthorizedClientError: parError(
    'unsupported_response_type',
    INVALID_REQUEST,
    'unauthorized_client',
  ),
  CheckErrorFromParEndpointResponseErrorInvalidClientOrInvalidRequest: parError(
    'invalid_client',
    INVALID_REQUEST,
  ),
  EnsureParHTTPError: ({ pushed }) =>
    expect((pushed?.status ?? 0) >= 400 && (pushed?.status ?? 0) < 500, `status ${pushed?.status}`),
} satisfies Readonly<Record<string, Check>>;
