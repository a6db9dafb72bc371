import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { header, objectOf } from '../http.ts';
import {
  type Check,
  ConditionFailed,
  expect,
  expectSame,
  ModuleSkipped,
  present,
  shown,
  text,
} from '../verdict.ts';
import type { World } from '../world.ts';
import { entropyOf, readJwt } from './keys.ts';

const ASSERTION_LIFETIME_S = 60;
const YEAR_S = 31_536_000;
const ENTROPY_MIN = 96;
const LENGTH_BITS_MIN = 128;
/** RFC 6749, appendix A.17 and A.12. */
const TOKEN = /^[\x20-\x7e]+$/;
const ERROR = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;
const DESCRIPTION = /^[\t\n\r\x20-\x21\x23-\x5b\x5d-\x7e]+$/;

async function assertion({ client, client_key, server }: World, aud: unknown): Promise<string> {
  const { privateKey, publicJwk } = present(client_key, 'client key');
  const now = Math.floor(Date.now() / 1000);
  const id = text(client['client_id'], 'client_id');
  const audience = text(aud ?? server['token_endpoint'], 'audience');
  return await new SignJWT({
    iss: id,
    sub: id,
    aud: audience,
    jti: randomUUID(),
    nbf: now,
    iat: now,
    exp: now + ASSERTION_LIFETIME_S,
  })
    .setProtectedHeader({
      alg: publicJwk.alg ?? 'RS256',
      ...(publicJwk.kid === undefined ? {} : { kid: publicJwk.kid }),
    })
    .sign(privateKey);
}

function withAssertion(aud: (world: World) => unknown): Check {
  return async (world) => {
    Object.assign(world.token_endpoint_request, {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertion(world, aud(world)),
    });
  };
}

/** RFC 6749 §2.3.1: each part is a form-encoded text. */
function formEncoded(value: unknown): string {
  return new URLSearchParams({ v: text(value, 'a client credential') }).toString().slice(2);
}

function status(...expected: readonly number[]): Check {
  return ({ token }) =>
    expect(
      expected.includes(token?.status ?? 0),
      `the token endpoint answered ${token?.status}: ${token?.text.slice(0, 300)}`,
    );
}

function error(code: string): Check {
  return ({ token_endpoint_response: response }) => expectSame(response['error'], code, 'error');
}

function seconds(count: number): Check {
  return async () => await sleep(count * 1000);
}

function random(name: 'access_token' | 'refresh_token'): Check {
  return ({ token_endpoint_response: response }) => {
    if (response[name] === undefined && name === 'refresh_token') return;
    const bits = entropyOf(text(response[name], name));
    expect(bits > ENTROPY_MIN, `${name} has ${bits.toFixed(0)} bits`);
  };
}

export const TOKEN_ENDPOINT = {
  CreateTokenEndpointRequestForAuthorizationCodeGrant(world) {
    world.token_endpoint_headers = {};
    world.token_endpoint_request = {
      grant_type: 'authorization_code',
      code: text(world.authorization_endpoint_response['code'], 'code'),
      redirect_uri: world.redirect_uri,
    };
  },
  CreateTokenEndpointRequestForClientCredentialsGrant(world) {
    world.token_endpoint_headers = {};
    world.token_endpoint_request = { grant_type: 'client_credentials' };
  },
  CreateRefreshTokenRequest(world) {
    world.token_endpoint_headers = {};
    world.token_endpoint_request = {
      grant_type: 'refresh_token',
      refresh_token: present(world.refresh_token, 'refresh token'),
    };
  },
  AddScopeToTokenEndpointRequest(world) {
    world.token_endpoint_request['scope'] = text(world.client['scope'], 'scope');
  },
  AddCodeVerifierToTokenEndpointRequest(world) {
    world.token_endpoint_request['code_verifier'] = present(world.code_verifier, 'code verifier');
  },
  AddBasicAuthClientSecretToRequest(world) {
    const { client_id, client_secret } = world.client;
    const pair = `${formEncoded(client_id)}:${formEncoded(client_secret)}`;
    world.token_endpoint_headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  },
  AddFormBasedClientSecretToRequest({ client, token_endpoint_request: request }) {
    request['client_id'] = text(client['client_id'], 'client_id');
    request['client_secret'] = text(client['client_secret'], 'client_secret');
  },
  AddClientIdToRequest({ client, token_endpoint_request: request }) {
    request['client_id'] = text(client['client_id'], 'client_id');
  },
  CreateJWTClientAuthenticationAssertionAndAddToTokenEndpointRequest: withAssertion(() => undefined),
  UpdateClientAuthenticationAssertionClaimsWithISSAud: withAssertion(({ server }) => server['issuer']),
  WaitForOneSecond: seconds(1),
  WaitFor2Seconds: seconds(2),
  WaitFor30Seconds: seconds(30),
  /** The suite waits a minute unless its settings say less; one second is the least there. */
  WaitForJWKSRefreshDelay: async ({ target }) =>
    await sleep(Number(target.settings?.['jwks_refresh_delay'] ?? 1) * 1000),
  async CallTokenEndpointAndReturnFullResponse(world) {
    const { server, token_endpoint_request: form, token_endpoint_headers: headers } = world;
    world.token = await world.target.send(text(server['token_endpoint'], 'token_endpoint'), {
      form,
      headers: { accept: 'application/json', ...headers },
      certificate: world.certificate,
    });
    world.token_endpoint_response = objectOf(world.token);
  },
  CheckTokenEndpointHttpStatus200: status(200),
  CheckTokenEndpointHttpStatus400: status(400),
  CheckTokenEndpointHttpStatus400or401: status(400, 401),
  CheckTokenEndpointHttpStatusIs400Allowing401ForInvalidClientError: ({
    token,
    token_endpoint_response: response,
  }) =>
    expect(
      token?.status === 400 || (token?.status === 401 && response['error'] === 'invalid_client'),
      `the status is ${token?.status}`,
    ),
  CheckTokenEndpointReturnedJsonContentType({ token }) {
    const type = header(present(token, 'token response'), 'content-type');
    expect(/^application\/json\b/i.test(type), `the content type is ${type}`);
  },
  CheckTokenEndpointCacheHeaders({ token }) {
    const reply = present(token, 'token response');
    expect(header(reply, 'cache-control').includes('no-store'), 'no Cache-Control: no-store');
  },
  CheckIfTokenEndpointResponseError: ({ token_endpoint_response: response }) =>
    expect(
      response['error'] === undefined,
      `${shown(response['error'])}: ${shown(response['error_description'])}`,
    ),
  CheckForAccessTokenValue: ({ token_endpoint_response: response }) =>
    void text(response['access_token'], 'access_token'),
  ExtractAccessTokenFromTokenResponse(world) {
    world.access_token = text(world.token_endpoint_response['access_token'], 'access_token');
  },
  ExtractExpiresInFromTokenEndpointResponse: ({ token_endpoint_response: { expires_in } }) =>
    expect(expires_in !== undefined, 'no expires_in'),
  ValidateExpiresIn({ token_endpoint_response: { expires_in } }) {
    if (expires_in === undefined) return;
    expect(
      typeof expires_in === 'number' && expires_in > 0 && expires_in <= YEAR_S,
      `expires_in is ${shown(expires_in)}`,
    );
  },
  CheckForRefreshTokenValue: ({ token_endpoint_response: response }) =>
    void text(response['refresh_token'], 'refresh_token'),
  ExtractRefreshTokenFromTokenResponse(world) {
    world.refresh_token = text(world.token_endpoint_response['refresh_token'], 'refresh_token');
  },
  ExtractIdTokenFromTokenResponse(world) {
    world.id_token = readJwt(text(world.token_endpoint_response['id_token'], 'id_token'), 'id_token');
    world.token_endpoint_id_token = world.id_token;
  },
  /** A refresh response may leave it out (OpenID Connect Core 1.0 §12.2). */
  ExtractIdTokenFromRefreshResponse(world) {
    const { id_token } = world.token_endpoint_response;
    delete world.id_token;
    if (typeof id_token === 'string') world.id_token = readJwt(id_token, 'id_token');
  },
  RememberFirstTokens(world) {
    world.first_id_token = present(world.id_token, 'ID token');
    if (world.access_token !== undefined) world.first_access_token = world.access_token;
  },
  SkipIfNoRefreshToken() {
    throw new ModuleSkipped('no refresh token was issued');
  },
  EnsureAccessTokenValuesAreDifferent: ({ access_token, first_access_token }) =>
    expect(access_token !== first_access_token, 'the new access token is the old one'),
  CheckTokenTypeIsBearer: ({ token_endpoint_response: response }) =>
    expectSame(String(response['token_type']).toLowerCase(), 'bearer', 'token_type'),
  EnsureMinimumAccessTokenEntropy: random('access_token'),
  EnsureMinimumRefreshTokenEntropy: random('refresh_token'),
  EnsureMinimumRefreshTokenLength({ token_endpoint_response: { refresh_token } }) {
    if (refresh_token !== undefined)
      expect(text(refresh_token, 'refresh_token').length * 8 >= LENGTH_BITS_MIN, 'a short refresh token');
  },
  EnsureAccessTokenContainsAllowedCharactersOnly: ({ access_token = '' }) =>
    expect(TOKEN.test(access_token), 'characters of access_token'),
  EnsureRefreshTokenContainsAllowedCharactersOnly: ({ refresh_token = '' }) =>
    expect(TOKEN.test(refresh_token), 'characters of refresh_token'),
  ServerAllowedReusingAuthorizationCode() {
    throw new ConditionFailed('the code was accepted a second time');
  },
  CheckErrorFromTokenEndpointResponseErrorInvalidGrant: error('invalid_grant'),
  CheckErrorFromTokenEndpointResponseErrorInvalidClient: error('invalid_client'),
  ValidateErrorFromTokenEndpointResponseError: ({ token_endpoint_response: response }) =>
    expect(ERROR.test(text(response['error'], 'error')), `characters of error ${shown(response['error'])}`),
  CheckErrorDescriptionFromTokenEndpointResponseErrorContainsCRLFTAB: ({
    token_endpoint_response: { error_description = '' },
  }) =>
    expect(!/[\r\n\t]/.test(String(error_description)), 'error_description has a line break or a tabulator'),
  ValidateErrorDescriptionFromTokenEndpointResponseError: ({
    token_endpoint_response: { error_description },
  }) =>
    expect(
      error_description === undefined || DESCRIPTION.test(text(error_description, 'error_description')),
      shown(error_description),
    ),
  ValidateErrorUriFromTokenEndpointResponseError: ({ token_endpoint_response: { error_uri } }) =>
    expect(error_uri === undefined || URL.canParse(text(error_uri, 'error_uri')), shown(error_uri)),
} satisfies Readonly<Record<string, Check>>;
